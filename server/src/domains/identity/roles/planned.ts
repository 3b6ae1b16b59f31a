import type { Permission } from "#kernel/permission.ts";

/**
 * Permissions that the interface promises for areas which are not built yet, so that roles and tokens
 * may name them today. An area that arrives takes its own from here.
 */
export const PLANNED: readonly Permission[] = [];
