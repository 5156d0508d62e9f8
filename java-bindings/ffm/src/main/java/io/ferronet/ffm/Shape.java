package io.ferronet.ffm;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * Call shapes. Every argument and result travels as a 64-bit integer: the first use of each distinct shape costs tens of milliseconds, so
 * there are few.
 *
 * <p>A C parameter of 32 bits is passed sign-extended, of which the callee reads the lower half; a C result of 32 bits leaves the upper half
 * undefined, so the caller narrows it. The calling conventions of all supported targets define it so for arguments in registers, of which
 * System V offers six; what lies behind them fills a whole slot of the stack there, and has to be a 64-bit parameter.
 */
enum Shape {
    /** No argument. */
    J0,
    /** One argument. */
    J1,
    /** Two arguments. */
    J2,
    /** Three arguments. */
    J3,
    /** Four arguments. */
    J4,
    /** Five arguments. */
    J5,
    /** Six arguments. */
    J6,
    /** Seven arguments. */
    J7;

    FunctionDescriptor descriptor() {
        MemoryLayout[] arguments = new MemoryLayout[ordinal()];
        Arrays.fill(arguments, ValueLayout.JAVA_LONG);
        return FunctionDescriptor.of(ValueLayout.JAVA_LONG, arguments);
    }
}
