/** What one may do here, and why not. The server decides; this spares people the refusal. */
import type { Schemas } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { place } from "../../data/place.ts";

export interface Rights {
  /** Why nothing may be changed. */
  readonly locked: string | undefined;
  readonly cannotTest: string | undefined;
  readonly cannotRun: string | undefined;
  readonly cannotDeploy: string | undefined;
}

export function useRights({ status, environments }: Schemas["Workflow"]): Rights {
  const may = useMay();
  const archived =
    status === "archived" ? "It is archived. Take it out of the archive first." : undefined;
  const refuse = (permission: string, what: string): string | undefined =>
    may(permission) ? undefined : `You may look at it, not ${what} it: that takes ${permission}.`;
  const cannotTest = refuse("workflows:trigger", "run") ?? archived;
  const isDeployed = environments[place.environment] !== null;
  return {
    locked: refuse("workflows:write", "change") ?? archived,
    cannotTest,
    cannotRun:
      cannotTest ?? (isDeployed ? undefined : `It is not deployed to ${place.environment} yet.`),
    cannotDeploy: refuse("deployments:create", "deploy") ?? archived,
  };
}
