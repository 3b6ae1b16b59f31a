import Type, { type Static } from "typebox";
import { failure } from "#kernel/operation/failure.ts";
import { id, line, text, Time } from "#kernel/schema/schema.ts";

export const TestEndpointId = id("tep");

/** Limits for unauthenticated requests. */
export const LIFETIME_MS = 24 * 3_600_000;
export const ENDPOINTS_MAX = 20;
export const REQUESTS_KEPT_MAX = 100;
export const REQUESTS_MAX = 2_000;
export const REQUESTS_A_MINUTE_MAX = 120;
export const REQUEST_BYTES_MAX = 64 * 1024;

/** The fields that a caller sets. */
export const settings = {
  name: line(100, "Display name"),
  answerStatus: Type.Integer({
    minimum: 200,
    maximum: 599,
    description: "Response status. Default: 200. Use 500 to test failures",
  }),
  answerBody: text(2_000, "Response body. Default: empty"),
};

export const TestEndpoint = Type.Object(
  {
    id: TestEndpointId,
    ...settings,
    url: Type.String({ description: "URL of the endpoint. Its requests are shown for one day" }),
    received: Type.Integer({ description: "Total number of requests" }),
    createdBy: Type.String(),
    createdAt: Time,
    expiresAt: Time,
  },
  { title: "TestEndpoint" },
);
export type TestEndpoint = Static<typeof TestEndpoint> & { readonly revision: number };

/** An endpoint in events: without its URL, which is a secret of its senders. */
export const TestEndpointData = Type.Object(
  {
    id: TestEndpointId,
    ...settings,
    expiresAt: Time,
  },
  { title: "TestEndpointData" },
);

export const TestRequest = Type.Object(
  {
    number: Type.Integer({ description: "Number of the request, from 1" }),
    method: Type.String({ description: "Such as `POST`" }),
    query: Type.Record(Type.String(), Type.String()),
    headers: Type.Record(Type.String(), Type.String(), {
      description: "Credentials are `***`",
    }),
    body: Type.String({ description: "Body as text" }),
    bytes: Type.Integer(),
    answered: Type.Integer({ description: "Response status" }),
    receivedAt: Time,
  },
  { title: "TestEndpointRequest" },
);
export type TestRequest = Static<typeof TestRequest>;

export const TooManyTestEndpoints = failure(
  "too_many_test_endpoints",
  409,
  `A workspace can have at most ${ENDPOINTS_MAX} test endpoints. Delete one first.`,
);

export function toTestEndpointData(endpoint: TestEndpoint): Static<typeof TestEndpointData> {
  const { id: endpointId, name, answerStatus, answerBody, expiresAt } = endpoint;
  return { id: endpointId, name, answerStatus, answerBody, expiresAt };
}
