package dev.postrider.devservices;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Chooses ports on the loopback interface.
 *
 * <p>The ports lie below the ranges from which operating systems take the local ports of outgoing connections. A port
 * from such a range could be taken by any client while a server is down between kill and restart, even by a client that
 * is trying to reach that very server.
 *
 * <p>A chosen port is free only at the moment of choosing: whoever starts a server on it must be prepared to lose it.
 */
final class FreePorts {

    private static final int LOWEST = 20_000;
    private static final int HIGHEST = 32_000;
    private static final int ATTEMPTS = 500;

    /** All different. Those that are required are not looked at; the others are free. */
    static List<Integer> choose(List<WantedPort> wanted) {
        Set<Integer> required = new HashSet<>();
        wanted.stream().filter(WantedPort::required).forEach(wantedPort -> required.add(wantedPort.number()));
        List<Integer> chosen = new ArrayList<>();
        for (WantedPort wantedPort : wanted) {
            int port = wantedPort.number();
            while (!wantedPort.required()
                    && (port == 0 || required.contains(port) || chosen.contains(port) || !isFree(port))) {
                port = any();
            }
            chosen.add(port);
        }
        return List.copyOf(chosen);
    }

    static int any() {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
            if (isFree(port)) {
                return port;
            }
        }
        throw new DevServicesException("found no free port between " + LOWEST + " and " + HIGHEST
                + " on the loopback interface in " + ATTEMPTS + " attempts: end some of the servers on this machine");
    }

    static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private FreePorts() {}
}
