package dev.postrider.devservices;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class FreePortsTest {

    @Test
    void portsAreDifferentAndBelowThoseOfOutgoingConnections() {
        assertThat(FreePorts.choose(Collections.nCopies(50, WantedPort.ANY)))
                .doesNotHaveDuplicates()
                .hasSize(50)
                .allMatch(port -> port < 32_768);
    }

    @Test
    void portOfAListeningServerIsNotFree() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(FreePorts.isFree(socket.getLocalPort())).isFalse();
        }
    }

    @Test
    void preferredPortIsChosenUnlessItIsTakenAndARequiredOneInAnyCase() throws Exception {
        int free = FreePorts.any();
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int taken = socket.getLocalPort();

            assertThat(FreePorts.choose(List.of(WantedPort.preferably(free)))).containsExactly(free);
            assertThat(FreePorts.choose(List.of(WantedPort.preferably(taken)))).doesNotContain(taken);
            assertThat(FreePorts.choose(List.of(WantedPort.exactly(taken)))).containsExactly(taken);
            assertThat(FreePorts.choose(List.of(WantedPort.preferably(free), WantedPort.exactly(free))))
                    .hasSize(2)
                    .doesNotHaveDuplicates()
                    .endsWith(free);
        }
    }
}
