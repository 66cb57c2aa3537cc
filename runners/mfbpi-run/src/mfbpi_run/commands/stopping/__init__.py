"""Commands about stopping rules: certificates, logs, audits."""
