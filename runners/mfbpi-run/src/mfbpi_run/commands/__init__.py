"""The subcommands of ``mfbpi``, one module each; :data:`mfbpi_run.cli.COMMANDS` names them."""
