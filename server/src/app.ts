import { audit } from "#domains/audit/index.ts";
import { identity } from "#domains/identity/index.ts";
import { workspaces } from "#domains/workspaces/index.ts";
import type { Domain } from "#kernel/domain.ts";

/** Every area of the product. */
export const domains: readonly Domain[] = [identity, workspaces, audit];
