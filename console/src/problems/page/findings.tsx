import { useForm } from "../../data/form/use-form.ts";
import { versionOf } from "../../data/form/version.ts";
import { FormPanel } from "../../shell/form/form-panel.tsx";
import { TextAreaField } from "../../ui/form/text-field.tsx";
import type { Problem } from "./problem.ts";

const toInitial = ({ rootCause, workaround }: Pick<Problem, "rootCause" | "workaround">) => ({
  rootCause,
  workaround,
});

/** The cause and workaround of a problem, for everyone with a related incident. */
export function Findings({ problem, id }: { readonly problem: Problem; readonly id: string }) {
  const form = useForm("problems.update", {
    params: { id: problem.id },
    initial: toInitial(problem),
    version: versionOf("problems.get", { params: { id } }, ({ data }) => toInitial(data)),
    refusal: problem.state === "closed" ? "The problem is closed." : undefined,
    said: "Cause and workaround saved",
  });
  return (
    <FormPanel form={form} label="Cause and workaround">
      <TextAreaField
        {...form.field("rootCause")}
        label="Cause"
        help="Root cause of the incidents. Example: the printer driver 4.2 drops long jobs."
      />
      <TextAreaField
        {...form.field("workaround")}
        help="Temporary fix until the problem is resolved. Shown on all linked incidents."
      />
    </FormPanel>
  );
}
