"""Long-term memory for conversational agents."""
