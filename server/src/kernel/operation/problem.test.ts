import { expect, test } from "vitest";
import { Failure, Forbidden, Unauthenticated } from "./failure.ts";
import { toProblem } from "./problem.ts";

const at = { instance: "/here", requestId: "req_1" };

test("every 401 has a challenge", () => {
  expect(toProblem(new Failure(Unauthenticated), at).headers).toEqual({
    "content-type": "application/problem+json",
    "www-authenticate": "Bearer",
  });
  expect(toProblem(new Failure(Forbidden), at).headers).not.toHaveProperty("www-authenticate");
});
