import Type from "typebox";
import { nullable } from "#kernel/schema/schema.ts";
import { changeEvent, event } from "#kernel/log/event.ts";
import { CatalogRequest } from "./request.ts";

const about = (summary: string) => ({ resource: "request", summary, data: CatalogRequest });

export const RequestCreated = event("request.created", about("A request was created."));
export const ApprovalRequested = event(
  "request.approval_requested",
  about("An approval step of a request started."),
);
export const ApprovalReminded = event(
  "request.approval_reminded",
  about("The approvers of a request were reminded."),
);
export const RequestApproved = event("request.approved", about("A request was approved."));
export const RequestRejected = event("request.rejected", about("A request was rejected."));
export const FulfilmentStarted = event(
  "request.fulfilment_started",
  about("The fulfilment of a request started, either manually or through a run."),
);
export const RequestStepDecided = event("request.step_decided", {
  resource: "request",
  summary:
    "An approval step of the run that fulfils a request was approved or rejected. A rejected step does not reject the request.",
  data: Type.Object({
    ...CatalogRequest.properties,
    approved: Type.Boolean(),
    comment: nullable(Type.String()),
    message: nullable(Type.String({ description: "The question of the step" })),
    decidedById: Type.String(),
    decidedByName: Type.String(),
    stepId: Type.String(),
  }),
});
export const RequestFulfilled = event("request.fulfilled", about("A request was fulfilled."));
export const RequestRated = event(
  "request.rated",
  about("The recipient rated a fulfilled request."),
);
export const RequestFailed = event("request.failed", about("A request could not be fulfilled."));
export const RequestCancelled = event("request.cancelled", about("A request was cancelled."));
export const RequestUpdated = changeEvent(
  "request.updated",
  about("A request was assigned, an approval was given, or the approvers changed."),
);
