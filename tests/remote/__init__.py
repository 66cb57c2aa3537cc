"""Results on an S3 server of this machine, and what may befall them on the way there."""
