package dev.postrider.cli.settings;

/** A format knows better than "it must be …" what is wrong with a text, and does not repeat it: it may hold a password. */
final class RefusedText extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RefusedText(String sentence) {
        super(sentence);
    }
}
