"""What the text of a pull request claims, held against records: supported, contradicted or unsupported.

The text is read by patterns, one sentence at a time. That finds numbers and the usual phrases; it understands nothing.
"""
