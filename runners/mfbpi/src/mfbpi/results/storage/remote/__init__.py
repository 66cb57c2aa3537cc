"""Results on file systems that are no part of this machine's: object stores and others."""
