package io.ferronet.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import org.junit.jupiter.api.Test;

class StatusTest {
    @Test
    void everyStatusHasItsOwnNameAndAnExplanation() throws IllegalAccessException {
        for (Field field : Status.class.getFields()) {
            int status = field.getInt(null);
            if (status < 0 && status != Status.BASE) {
                assertEquals("FERRONET_ERR_" + field.getName(), Status.name(status));
                assertNotEquals("an unknown status", Status.description(status));
                assertFalse(Status.isOsError(status));
                assertEquals(0, Status.errno(status));
            }
        }
        assertEquals("FERRONET_OK", Status.name(0));
        assertEquals("FERRONET_OK", Status.name(17));
        assertEquals("status -20000", Status.name(-20_000));
        assertEquals("status -10000", Status.name(Status.BASE));
        assertEquals("errno 4000", Status.name(-4000));
    }

    @Test
    void operatingSystemErrorsKeepTheirNumber() {
        for (Errno error : Errno.values()) {
            assertTrue(Status.isOsError(error.status()));
            assertEquals(error.number(), Status.errno(error.status()));
            assertEquals(error.name(), Status.name(error.status()));
            assertEquals(error.description(), Status.description(error.status()));
            assertSame(error, Errno.of(error.number()));
        }
        assertNull(Errno.of(0));
        assertTrue(Status.isOsError(-4095));
        assertFalse(Status.isOsError(-4096));
        assertFalse(Status.isOsError(0));
        assertTrue(Status.isError(-1L));
        assertFalse(Status.isError(0L));
    }

    @Test
    void anExceptionHoldsItsStatusAsDataAndAsText() {
        FerronetException os = new FerronetException("bind(127.0.0.1:80)", Errno.EACCES.status());
        assertEquals("bind(127.0.0.1:80) failed: EACCES (-13): permission denied", os.getMessage());
        assertEquals(13, os.errno());
        FerronetException own = new FerronetException("turn", Status.CLOSED, "the reactor was closed by main");
        assertEquals("turn failed: FERRONET_ERR_CLOSED (-10005): the reactor was closed by main", own.getMessage());
        assertEquals(0, own.errno());
        assertEquals(Status.CLOSED, own.status());
    }

    @Test
    void enumerationsKnowTheirNumbers() {
        for (Backend backend : Backend.values()) {
            assertSame(backend, Backend.of(backend.number()));
        }
        assertThrows(IllegalArgumentException.class, () -> Backend.of(3));
        assertThrows(IllegalArgumentException.class, () -> Backend.of(-1));
        for (Reason reason : Reason.values()) {
            assertSame(reason, Reason.of(reason.number()));
            assertFalse(reason.description().isEmpty());
        }
        assertSame(Reason.OTHER, Reason.of(1000));
        assertEquals("io_uring", Feature.name(0));
        assertEquals("unknown", Feature.name(63));
    }
}
