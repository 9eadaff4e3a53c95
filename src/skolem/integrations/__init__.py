"""Who else can use it? Other libraries and programs that Skolem works for."""
