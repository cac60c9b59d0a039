package dev.postrider.http;

import dev.postrider.settings.Format;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * Where a server listens.
 *
 * @param host a name or an address, IPv6 without brackets
 * @param port 0 means any that is free
 */
public record HttpAddress(String host, int port) {
    private static final String THIS_MACHINE = "127.0.0.1";

    /** A port alone means this machine: nobody else can connect. */
    static final Format<HttpAddress> FORMAT = Format.of(
            HttpAddress.class,
            "<host:port>",
            "a port, which means 127.0.0.1, or host:port, such as 9464 or 0.0.0.0:9464",
            HttpAddress::parse,
            HttpAddress::toString);

    public HttpAddress {
        if (host.isBlank() || host.contains(" ") || port < 0 || port > 65_535) {
            throw new IllegalArgumentException(host + ":" + port);
        }
    }

    private static HttpAddress parse(String text) {
        int colon = text.lastIndexOf(':');
        if (colon < 0) {
            return new HttpAddress(THIS_MACHINE, Integer.parseInt(text));
        }
        String host = text.substring(0, colon);
        boolean inBrackets = host.startsWith("[") && host.endsWith("]");
        if (host.contains(":") != inBrackets) {
            throw new IllegalArgumentException(text);
        }
        return new HttpAddress(
                inBrackets ? host.substring(1, host.length() - 1) : host, Integer.parseInt(text.substring(colon + 1)));
    }

    InetSocketAddress resolve() {
        return new InetSocketAddress(host, port);
    }

    /** Whether nobody but this machine can connect. */
    static boolean isThisMachine(InetAddress address) {
        return address.isLoopbackAddress();
    }

    @Override
    public String toString() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}
