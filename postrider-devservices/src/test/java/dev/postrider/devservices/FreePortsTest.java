package dev.postrider.devservices;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;

class FreePortsTest {

    @Test
    void portsAreDifferentAndBelowThoseOfOutgoingConnections() {
        assertThat(FreePorts.choose(50)).doesNotHaveDuplicates().hasSize(50).allMatch(port -> port < 32_768);
    }

    @Test
    void portOfAListeningServerIsNotFree() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(FreePorts.isFree(socket.getLocalPort())).isFalse();
        }
    }
}
