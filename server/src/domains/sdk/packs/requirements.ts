import semver from "semver";
import { Failure, type Fault } from "#kernel/operation/failure.ts";
import { PLATFORM_VERSION } from "#kernel/platform-version.ts";
import type { Descriptor } from "./descriptor.ts";
import { RequirementsUnmet } from "./pack.ts";

/** Only this of a descriptor's engines is us. */
const ENGINE = "millrace";

/** Throws with everything that the pack needs and does not find. */
export function assertRequirements(
  { dependencies = {}, engines = {} }: Pick<Descriptor, "dependencies" | "engines">,
  installed: ReadonlyMap<string, string>,
): void {
  const errors: Fault[] = Object.entries(dependencies).flatMap(([id, range]) => {
    const version = installed.get(id);
    if (version !== undefined && fits(version, range)) return [];
    const found = version === undefined ? "it is not installed" : `${version} is installed`;
    return [{ path: `/dependencies/${id}`, message: `needs ${range}, and ${found}` }];
  });
  const range = engines[ENGINE];
  if (range !== undefined && !fits(PLATFORM_VERSION, range)) {
    const message = `needs ${range}, and this is ${PLATFORM_VERSION}`;
    errors.push({ path: `/engines/${ENGINE}`, message });
  }
  const [first] = errors;
  if (first) {
    throw new Failure(RequirementsUnmet, { detail: `${first.path} ${first.message}`, errors });
  }
}

/** Whether a pack with these dependencies would miss another. */
export function needs(dependencies: Readonly<Record<string, string>>, id: string): boolean {
  return Object.hasOwn(dependencies, id);
}

function fits(version: string, range: string): boolean {
  return semver.satisfies(version, range, { includePrerelease: true });
}
