package dev.postrider.tests.support;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A wire to a server on this machine that can go silent: nothing passes any more, in either direction, and nobody is told.
 * Connections can still be made meanwhile, and nothing comes of them. Those that were there stay dead afterwards.
 */
public final class SilentProxy implements AutoCloseable {
    private final ServerSocket listener;
    private final InetSocketAddress server;
    private final InetAddress origin;
    private final Set<Wire> wires = ConcurrentHashMap.newKeySet();
    private volatile boolean silent;

    public SilentProxy(int serverPort) throws IOException {
        this(serverPort, InetAddress.getLoopbackAddress());
    }

    /**
     * @param origin where the server takes its clients to be, one of the addresses that stand for this machine
     */
    public SilentProxy(int serverPort, InetAddress origin) throws IOException {
        this.origin = origin;
        this.server = new InetSocketAddress(InetAddress.getLoopbackAddress(), serverPort);
        this.listener = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        daemon(this::accept);
    }

    public int port() {
        return listener.getLocalPort();
    }

    public void silence() {
        silent = true;
        wires.forEach(wire -> wire.dead = true);
    }

    public void restore() {
        silent = false;
    }

    private static final class Wire {
        private final Socket client;
        private final Socket onward = new Socket();
        private volatile boolean dead;

        Wire(Socket client) {
            this.client = client;
        }

        void carry(Socket from, Socket to) {
            byte[] piece = new byte[64 * 1024];
            try {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                for (int length = in.read(piece); length >= 0; length = in.read(piece)) {
                    if (!dead) {
                        out.write(piece, 0, length);
                    }
                }
                // Who is dead does not hear of the end either.
                if (!dead) {
                    close();
                }
            } catch (IOException e) {
                if (!dead) {
                    close();
                }
            }
        }

        void close() {
            for (Socket socket : new Socket[] {client, onward}) {
                try {
                    socket.close();
                } catch (IOException e) {
                    // As good as closed.
                }
            }
        }
    }

    private void accept() {
        try {
            while (true) {
                Wire wire = new Wire(listener.accept());
                wire.dead = silent;
                wires.add(wire);
                wire.onward.bind(new InetSocketAddress(origin, 0));
                wire.onward.connect(server);
                daemon(() -> wire.carry(wire.client, wire.onward));
                daemon(() -> wire.carry(wire.onward, wire.client));
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private static void daemon(Runnable work) {
        Thread thread = new Thread(work, "silent-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        wires.forEach(Wire::close);
    }
}
