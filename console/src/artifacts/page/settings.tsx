import { useEffect, useRef, useState } from "react";
import { call, etagOf } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import { useRefusals } from "../../data/people.ts";
import { Field } from "../../ui/field.tsx";
import { notify } from "../../ui/toast.tsx";
import type { Artifact } from "../artifact-type.ts";
import { ArtifactUsage } from "./usage.tsx";
import { Button } from "../../ui/form/button.tsx";
import { CheckBox, TextArea, TextInput } from "../../ui/form/controls.tsx";

/** What is not its source: description, schedule, limits, address. */
export function ArtifactSettings({ artifact }: { readonly artifact: Artifact }) {
  const { id, artifactType, detail } = artifact;
  const refusalOf = useRefusals();
  const [description, setDescription] = useState(artifact.description);
  const [cron, setCron] = useState(detail.cron ?? "");
  const [timezone, setTimezone] = useState(detail.timezone ?? "UTC");
  const [timeoutMs, setTimeoutMs] = useState(detail.timeoutMs ?? 0);
  const [isOpen, setOpen] = useState(detail.openAddress ?? false);
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  // What somebody else saves meanwhile is not overwritten unseen.
  const base = useRef(etagOf("artifacts.get", { params: { id } }));
  const begun = useRef(settingsOf(artifact));
  useEffect(() => {
    // Another source beside the same settings is no conflict.
    if (settingsOf(artifact) === begun.current)
      base.current = etagOf("artifacts.get", { params: { id } });
  }, [artifact, id]);
  const denied = refusalOf("artifacts.update");
  const isJob = artifactType === "scheduled_job";
  const save = async (): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    const body = {
      description,
      detail: {
        ...(timeoutMs > 0 && { timeoutMs }),
        ...(isJob && { cron, timezone }),
        ...(artifactType === "webhook_handler" && { openAddress: isOpen }),
      },
    };
    try {
      const { data } = await call(
        "artifacts.update",
        { params: { id }, body },
        {
          ...(base.current !== undefined && { ifMatch: base.current }),
          onAnswer: ({ headers }) => (base.current = headers.get("etag") ?? undefined),
        },
      );
      begun.current = settingsOf(data);
      notify("Saved.");
    } catch (error) {
      setProblem(describeRefusal(error));
    }
    setBusy(false);
  };
  return (
    <form
      className="art-panel scroll"
      onSubmit={(event) => {
        event.preventDefault();
        if (denied === undefined && !isBusy) void save();
      }}
    >
      <Field label="For what" isOptional error={problem}>
        {(bound) => (
          <TextArea
            {...bound}
            rows={3}
            value={description}
            onChange={({ target }) => setDescription(target.value)}
          />
        )}
      </Field>
      {isJob && (
        <Schedule cron={cron} timezone={timezone} onCron={setCron} onTimezone={setTimezone} />
      )}
      <Field label="Time limit (ms)" isOptional help="The server's own where it is empty.">
        {(bound) => (
          <TextInput
            {...bound}
            type="number"
            min={0}
            value={timeoutMs || ""}
            onChange={({ target }) => setTimeoutMs(target.valueAsNumber || 0)}
          />
        )}
      </Field>
      {artifactType === "webhook_handler" && (
        <label className="row">
          <CheckBox checked={isOpen} onChange={({ target }) => setOpen(target.checked)} />
          Anybody may call it, without the secret part of its address
        </label>
      )}
      <Button
        look="main"
        className="art-run"
        disabled={denied !== undefined || isBusy}
        title={denied}
      >
        Save settings
      </Button>
      <ArtifactUsage artifact={artifact} />
    </form>
  );
}

/** All that is edited here, to be compared. */
function settingsOf({ description, detail }: Artifact): string {
  const { cron, timezone, timeoutMs, openAddress } = detail;
  return JSON.stringify([description, cron, timezone, timeoutMs, openAddress]);
}

interface ScheduleProps {
  readonly cron: string;
  readonly timezone: string;
  readonly onCron: (cron: string) => void;
  readonly onTimezone: (timezone: string) => void;
}

function Schedule(props: ScheduleProps) {
  return (
    <>
      <Field label="Schedule" help="As cron writes it: minute, hour, day, month, weekday.">
        {(bound) => (
          <TextInput
            {...bound}
            isMono
            value={props.cron}
            onChange={({ target }) => props.onCron(target.value)}
          />
        )}
      </Field>
      <Field label="Time zone">
        {(bound) => (
          <TextInput
            {...bound}
            list="art-zones"
            value={props.timezone}
            onChange={({ target }) => props.onTimezone(target.value)}
          />
        )}
      </Field>
      <datalist id="art-zones">
        {Intl.supportedValuesOf("timeZone").map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  );
}
