package dev.postrider.devservices;

/**
 * Which port a server should listen on.
 *
 * @param number 0 for any
 * @param required whether another one will not do
 */
record PortWish(int number, boolean required) {

    static final PortWish ANY = new PortWish(0, false);

    static PortWish exactly(int number) {
        return new PortWish(checked(number), true);
    }

    /** This one if it is free, and any other if it is not. */
    static PortWish preferably(int number) {
        return new PortWish(checked(number), false);
    }

    /** The same for a neighbour, so many numbers above. */
    PortWish above(int distance) {
        return number == 0 ? this : new PortWish(checked(number + distance), required);
    }

    private static int checked(int number) {
        if (number < 1 || number > 65_535) {
            throw new IllegalArgumentException("port " + number + " is not between 1 and 65535");
        }
        return number;
    }
}
