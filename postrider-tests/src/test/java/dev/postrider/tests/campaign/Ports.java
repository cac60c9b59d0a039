package dev.postrider.tests.campaign;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/** Ports below those that operating systems give to clients, each given once: a server that is down keeps its port. */
final class Ports {
    private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

    private Ports() {}

    static int free() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(20_000, 32_000);
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                if (GIVEN.add(port)) {
                    return socket.getLocalPort();
                }
            } catch (IOException e) {
                // Taken.
            }
        }
    }
}
