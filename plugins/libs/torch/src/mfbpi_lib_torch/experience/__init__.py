"""What was seen: replay buffers and the batches drawn from them."""
