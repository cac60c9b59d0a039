package dev.postrider;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class RelayListenersTest {

    @Test
    void listenerThatThrowsDoesNotKeepOthersFromBeingTold() {
        List<Long> told = new ArrayList<>();
        RelayListener throwing = new RelayListener() {
            @Override
            public void integrityFailure(long id) {
                throw new IllegalStateException("broken");
            }
        };
        RelayListener listening = new RelayListener() {
            @Override
            public void integrityFailure(long id) {
                told.add(id);
            }
        };

        RelayListener all = RelayListener.all(List.of(throwing, listening));
        all.integrityFailure(1);
        all.integrityFailure(2);

        assertThat(told).containsExactly(1L, 2L);
    }

    @Test
    void everythingAListenerCanBeToldIsPassedOn() {
        List<String> callbacks = Arrays.stream(RelayListener.class.getDeclaredMethods())
                .filter(method -> !Modifier.isStatic(method.getModifiers()) && !method.isSynthetic())
                .map(RelayListenersTest::signature)
                .toList();

        assertThat(Arrays.stream(RelayListeners.class.getDeclaredMethods()).map(RelayListenersTest::signature))
                .containsAll(callbacks);
    }

    private static String signature(Method method) {
        return method.getName() + Arrays.toString(method.getParameterTypes());
    }
}
