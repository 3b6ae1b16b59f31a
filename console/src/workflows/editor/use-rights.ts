/** Permissions of the current user, with reasons. The server enforces them; the console disables controls early. */
import type { Schemas } from "../../data/api.ts";
import { useRefusals } from "../../data/people.ts";
import { place } from "../../data/place.ts";

export interface Rights {
  /** The reason why editing is disabled. */
  readonly locked: string | undefined;
  readonly cannotTest: string | undefined;
  readonly cannotRun: string | undefined;
  readonly cannotDeploy: string | undefined;
}

export function useRights({ status, environments }: Schemas["Workflow"]): Rights {
  const refusalOf = useRefusals();
  const archived =
    status === "archived" ? "The workflow is archived. Restore it first." : undefined;
  const cannotTest = refusalOf("workflows.trigger") ?? archived;
  const isDeployed = environments[place.environment] !== null;
  return {
    locked: refusalOf("workflows.update") ?? archived,
    cannotTest,
    cannotRun:
      cannotTest ??
      (isDeployed ? undefined : `The workflow is not deployed to ${place.environment}.`),
    cannotDeploy: refusalOf("workflows.publish") ?? archived,
  };
}
