package dev.postrider.devservices;

/**
 * Which port a server should listen on.
 *
 * @param number 0 for any
 * @param required whether another one will not do
 */
record WantedPort(int number, boolean required) {

    static final WantedPort ANY = new WantedPort(0, false);

    static WantedPort exactly(int number) {
        return new WantedPort(checked(number), true);
    }

    /** This one if it is free, and any other if it is not. */
    static WantedPort preferably(int number) {
        return new WantedPort(checked(number), false);
    }

    /** The same for a neighbour, so many numbers above. */
    WantedPort above(int distance) {
        return number == 0 ? this : new WantedPort(checked(number + distance), required);
    }

    private static int checked(int number) {
        if (number < 1 || number > 65_535) {
            throw new IllegalArgumentException("port " + number + " is not between 1 and 65535");
        }
        return number;
    }
}
