import Type from "typebox";
import { event } from "#kernel/log/event.ts";
import { nullable } from "#kernel/schema/schema.ts";
import { AppId, PageId } from "../definition/app.ts";
import { DeploymentId } from "../deployments/deployment.ts";
import { EmbedTokenId } from "../embedding/embed-token.ts";

export const AppActed = event("app.action_performed", {
  resource: "app",
  summary:
    "A user used a button, a row or a form of a deployed app. The effects have their own events.",
  data: Type.Object({
    appId: AppId,
    deploymentId: DeploymentId,
    pageId: PageId,
    componentId: Type.String(),
    actions: Type.Array(Type.String(), { description: "Types of the performed actions" }),
    succeeded: Type.Boolean(),
    embedTokenId: nullable(EmbedTokenId),
  }),
});
