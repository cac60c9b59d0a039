package dev.postrider;

/**
 * A static split of the keys: instance {@code index} of {@code of}. An instance must run for every index, or its keys
 * wait for ever.
 */
public record Split(int index, int of) {
    public static final Split ALL = new Split(0, 1);

    public Split {
        if (of < 1 || index < 0 || index >= of) {
            throw new PostriderException("The split " + index + " of " + of
                    + " is not possible: there must be at least 1 instance, and the index counts from 0.");
        }
    }
}
