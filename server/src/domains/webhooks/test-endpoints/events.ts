import { changeEvent, event } from "#kernel/log/event.ts";
import { TestEndpointData } from "./test-endpoint.ts";

const resource = "test_endpoint";

export const TestEndpointCreated = event("test_endpoint.created", {
  resource,
  summary: "A test endpoint was created. Its requests are not written to the event log.",
  data: TestEndpointData,
});

export const TestEndpointUpdated = changeEvent("test_endpoint.updated", {
  resource,
  summary: "The response or the name of a test endpoint was changed.",
  data: TestEndpointData,
});

export const TestEndpointDeleted = event("test_endpoint.deleted", {
  resource,
  summary: "A test endpoint and its requests were deleted.",
  data: TestEndpointData,
});
