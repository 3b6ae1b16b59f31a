import Type from "typebox";
import { event } from "#kernel/log/event.ts";
import { nullable } from "#kernel/schema/schema.ts";
import { AppId } from "../definition/app.ts";
import { Deployment, DeploymentId } from "./deployment.ts";

export const DeployRolledBack = event("deploy.rolled_back", {
  resource: "deployment",
  summary: "An earlier deployment of an app became the live one of an environment again.",
  data: Type.Object({
    kind: Type.Literal("app"),
    id: AppId,
    name: Type.String(),
    deployment: Deployment,
    previousDeploymentId: nullable(DeploymentId),
  }),
});
