import Type from "typebox";
import { event } from "#kernel/log/event.ts";
import { nullable } from "#kernel/schema/schema.ts";
import { AppId } from "../definition/app.ts";
import { Deployment, DeploymentId } from "./deployment.ts";

export const DeployRolledBack = event("deploy.rolled_back", {
  resource: "deployment",
  summary: "An app was rolled back to an earlier deployment in an environment.",
  data: Type.Object({
    kind: Type.Literal("app"),
    id: AppId,
    name: Type.String(),
    deployment: Deployment,
    previousDeploymentId: nullable(DeploymentId),
  }),
});
