package dev.postrider.tests.campaign;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * A TCP proxy in front of a server. It can slow down what passes, or let nothing pass without telling anybody: sockets
 * stay open, as behind a firewall that drops packets. Any thread.
 */
final class Wire implements AutoCloseable {
    /** Of what a client sends into a connection that was forgotten, a piece is dropped that often, until it has gone. */
    private static final long DROP_MILLIS = 1_000;

    /** A server misses a forgotten client after so long, as it would by keep-alive. The client never misses its server. */
    private static final long SERVER_MISSES_MILLIS = 20_000;

    private final ServerSocket listener;
    private final Set<Pair> pairs = ConcurrentHashMap.newKeySet();
    private volatile int serverPort;
    private volatile boolean silentToServer;
    private volatile boolean silentToClient;
    private volatile long delayNanos;
    private volatile boolean closed;

    /** The two ends of one connection. */
    private static final class Pair {
        final Socket client;
        final Socket server = new Socket();

        /** Forgotten by the network: nothing will ever pass again. */
        volatile boolean dead;

        volatile boolean clientGone;
        volatile boolean serverMissedIt;

        Pair(Socket client) {
            this.client = client;
        }

        void close() {
            close(client);
            close(server);
        }

        static void close(Socket socket) {
            try {
                socket.close();
            } catch (IOException e) {
                // As good as closed.
            }
        }
    }

    Wire() {
        try {
            // Below the ports that clients get: none of them may take the port of a server that is down.
            this.listener = new ServerSocket(Ports.free(), 200, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int port() {
        return listener.getLocalPort();
    }

    /** Begins to forward. */
    Wire to(int port) {
        serverPort = port;
        daemon("wire-" + port, this::accept);
        return this;
    }

    /** Everything takes longer, each way. */
    void delay(long millis) {
        delayNanos = millis * 1_000_000;
    }

    /** Nothing passes any more. */
    void silence(boolean toServer, boolean toClient) {
        silentToServer = toServer;
        silentToClient = toClient;
        tellThoseThatWait();
    }

    /**
     * What was held back passes now.
     *
     * @param forget connections there are now stay silent for ever; only new ones work
     */
    void heal(boolean forget) {
        if (forget) {
            List<Pair> forgotten = List.copyOf(pairs);
            forgotten.forEach(pair -> pair.dead = true);
            daemon("wire-forgotten", () -> missClients(forgotten));
        }
        silentToServer = false;
        silentToClient = false;
        delayNanos = 0;
        tellThoseThatWait();
    }

    private void missClients(List<Pair> forgotten) {
        awaitUnless(() -> closed, SERVER_MISSES_MILLIS);
        forgotten.forEach(pair -> {
            Pair.close(pair.server);
            pair.serverMissedIt = true;
        });
        tellThoseThatWait();
    }

    private void accept() {
        while (!closed) {
            try {
                Pair pair = new Pair(listener.accept());
                pairs.add(pair);
                daemon("wire-there", () -> connectAndCarry(pair));
            } catch (IOException e) {
                // Closed, or a client that has gone already.
            }
        }
    }

    private void connectAndCarry(Pair pair) {
        try {
            awaitPassage(pair, true);
            pair.server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), serverPort));
            pair.client.setTcpNoDelay(true);
            pair.server.setTcpNoDelay(true);
        } catch (IOException e) {
            end(pair);
            return;
        }
        daemon("wire-back", () -> carry(pair, false));
        carry(pair, true);
    }

    private void carry(Pair pair, boolean toServer) {
        byte[] piece = new byte[64 * 1024];
        try {
            InputStream in = (toServer ? pair.client : pair.server).getInputStream();
            OutputStream out = (toServer ? pair.server : pair.client).getOutputStream();
            for (int length = in.read(piece); length >= 0; length = in.read(piece)) {
                awaitPassage(pair, toServer);
                if (pair.dead && !toServer) {
                    break;
                } else if (pair.dead) {
                    // Read on, slowly: that is how one learns that the client has gone.
                    awaitUnless(() -> closed, DROP_MILLIS);
                } else {
                    if (delayNanos > 0) {
                        LockSupport.parkNanos(delayNanos);
                    }
                    out.write(piece, 0, length);
                }
            }
        } catch (IOException e) {
            // Broken off by one end.
        }
        if (toServer) {
            pair.clientGone = true;
            tellThoseThatWait();
        }
        // The end of a connection does not pass a silent network either.
        awaitPassage(pair, toServer);
        awaitUnless(() -> closed || !pair.dead || (pair.clientGone && pair.serverMissedIt), 0);
        end(pair);
    }

    /** Until something may pass, or never will. */
    private void awaitPassage(Pair pair, boolean toServer) {
        awaitUnless(() -> closed || pair.dead || !(toServer ? silentToServer : silentToClient), 0);
    }

    /**
     * @param millis at most so long, 0 for ever
     */
    private synchronized void awaitUnless(BooleanSupplier condition, long millis) {
        long deadline = System.nanoTime() + millis * 1_000_000;
        try {
            while (!condition.getAsBoolean()) {
                long left = (deadline - System.nanoTime()) / 1_000_000 + 1;
                if (millis > 0 && left <= 0) {
                    return;
                }
                wait(millis == 0 ? 0 : left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void tellThoseThatWait() {
        notifyAll();
    }

    private void end(Pair pair) {
        pairs.remove(pair);
        pair.close();
    }

    private static void daemon(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        closed = true;
        tellThoseThatWait();
        try {
            listener.close();
        } catch (IOException e) {
            // As good as closed.
        }
        pairs.forEach(Pair::close);
    }
}
