package io.ferronet.contract;

import java.util.List;

/**
 * A case.
 *
 * @param file name of its file
 * @param name its own name
 * @param needs what it cannot run without
 * @param steps its lines
 */
record Script(String file, String name, List<String> needs, List<Step> steps) {
}
