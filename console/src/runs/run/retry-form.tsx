import { CodeField } from "../../code/index.ts";
import type { Input } from "../../data/api.ts";
import { type Form as FormOf, useForm } from "../../data/form/use-form.ts";
import { CheckField } from "../../ui/form/choice-field.tsx";
import { InlineForm } from "../../ui/form/inline-form.tsx";
import { RadioField } from "../../ui/form/pickers/radio-field.tsx";
import { Text } from "../../ui/layout/layout.tsx";
import type { RunStep } from "../../workflows/index.ts";
import type { TracedRun } from "./live-run.ts";
import { mayReplaceInput, readInput } from "./retry.ts";

export type RetryWish = NonNullable<Input<"runs.retry">["body"]>;

interface RetryDraft {
  readonly from: string;
  readonly isLatest: boolean;
  /** JSON. */
  readonly input: string;
}

/** Returns the message shown after a retry was started. */
export const tellRetry = ({ from = "failed" }: RetryWish): string =>
  from === "failed" ? "The run continues at the failed step." : "The run starts again.";

interface RetryFormProps {
  readonly run: TracedRun;
  readonly step: RunStep | undefined;
  readonly onClose: () => void;
}

/** Selects the step and version for a retry. */
export function RetryForm({ run, step, onClose }: RetryFormProps) {
  const places = [
    ...(run.status === "completed"
      ? []
      : [
          [
            "failed",
            run.status === "failed" ? "From the failed step" : "From the step where it ended",
          ] as const,
        ]),
    ...(step ? [[step.id, `From “${step.name}”`] as const] : []),
    ["start", "From the start"] as const,
  ];
  const [first] = places.map(([place]) => place);
  const written = JSON.stringify(run.trigger["input"] ?? {}, null, 2);
  const canEdit = ({ from }: RetryDraft): boolean =>
    from === "start" && mayReplaceInput(run) && run.redacted !== true;
  const readChanged = (draft: RetryDraft) =>
    canEdit(draft) && draft.input !== written ? readInput(draft.input) : undefined;
  const toWish = (draft: RetryDraft): RetryWish => {
    const read = readChanged(draft);
    return {
      from: draft.from,
      ...(draft.isLatest && { version: "latest" as const }),
      ...(read && "input" in read && { input: read.input }),
    };
  };
  const form: FormOf<RetryDraft> = useForm("runs.retry", {
    params: { runId: run.id },
    initial: { from: first ?? "start", isLatest: run.version === null, input: written },
    toBody: toWish,
    check: (draft) => {
      const read = readChanged(draft);
      return {
        input: read && "problem" in read ? `is not valid JSON: ${read.problem}` : undefined,
      };
    },
    said: () => tellRetry(form.values),
    onDone: onClose,
  });
  const { field, values } = form;
  return (
    <InlineForm form={form} label="Retry" act="Retry" isMain onClose={onClose}>
      <RadioField {...field("from")} label="Start from" options={places} />
      <CheckField {...field("isLatest")} label="Use the deployed version" />
      {canEdit(values) && (
        <CodeField {...field("input")} label="Input" language="json" isRequired />
      )}
      <Text size="s" tone="muted">
        {values.from === "start"
          ? "All steps run again."
          : "Steps that completed before it are kept. The others run again."}
      </Text>
    </InlineForm>
  );
}
