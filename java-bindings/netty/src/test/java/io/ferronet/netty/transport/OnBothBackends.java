package io.ferronet.netty.transport;

import io.ferronet.api.Backend;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A test that runs once on each {@link Backend}; its parameter is the backend. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedTest
@EnumSource(value = Backend.class, names = {"IO_URING", "POLL"})
@interface OnBothBackends {
}
