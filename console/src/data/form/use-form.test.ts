import { expect, test } from "vitest";
import type { useForm } from "./use-form.ts";

/** Never called: this test fails at compile time. */
export function checkTypes(form: typeof useForm, isNew: boolean): void {
  const params = { id: "chg_1" };
  const task = form("changes.add_task", { params, initial: { title: "A", required: true } });
  task.field("title").onChange("B");
  // @ts-expect-error The field is not in the operation.
  task.field("titel");
  // @ts-expect-error It is a yes or a no.
  task.field("required").onChange("yes");
  // @ts-expect-error The operation has a path parameter.
  form("changes.add_task", { initial: {} });
  // @ts-expect-error The field is not in the draft.
  form("changes.add_task", { params, initial: { titel: "A" } });
  // @ts-expect-error The operation does not exist.
  form("changes.add_tusk", { params });
  const either = form(isNew ? "teams.create" : "teams.update", { params });
  either.field("memberIds").onChange(["usr_1"]);
  const drawn = form("alerts.create", {
    // @ts-expect-error Its body needs more than a name.
    toBody: ({ name }: { readonly name: string }) => ({ name }),
  });
  drawn.field("name").onChange("A");
}

test("form fields, values and parameters match the operation", () => {
  expect(checkTypes).toBeTypeOf("function");
});
