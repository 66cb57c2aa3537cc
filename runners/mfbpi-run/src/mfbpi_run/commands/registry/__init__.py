"""Commands about plugins: what is installed, whether it conforms, a new one."""
