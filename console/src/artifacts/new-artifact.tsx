import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { call } from "../data/api.ts";
import { Field } from "../ui/field.tsx";
import { Dialog } from "../ui/overlay/dialog.tsx";
import { ARTIFACT_TYPES, type ArtifactType, wordsOf } from "./artifact-type.ts";
import { Button } from "../ui/form/button.tsx";
import { Select, TextInput } from "../ui/form/controls.tsx";

interface NewArtifactProps {
  readonly type: ArtifactType | undefined;
  readonly onClose: () => void;
}

/** A new artifact: its type and name; its source is written on its page. */
export function NewArtifact(props: NewArtifactProps) {
  const navigate = useNavigate();
  const [type, setType] = useState<ArtifactType>(props.type ?? "data_transformer");
  const [name, setName] = useState("");
  const [moduleKey, setModuleKey] = useState("default");
  const [cron, setCron] = useState("0 3 * * *");
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const create = async (): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    const isJob = type === "scheduled_job";
    const detail = {
      scriptSource: wordsOf(type)?.source ?? "return {};\n",
      ...(isJob && { cron, timezone: Intl.DateTimeFormat().resolvedOptions().timeZone }),
    };
    const body = { name: name.trim(), moduleKey: moduleKey.trim(), artifactType: type, detail };
    try {
      const { data } = await call("artifacts.create", { body: { ...body, status: "draft" } });
      void navigate({ to: "/artifacts/$id", params: { id: data.id } });
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  };
  const isReady = name.trim() !== "" && moduleKey.trim() !== "" && !isBusy;
  return (
    <Dialog
      title="New artifact"
      onClose={props.onClose}
      onSubmit={() => isReady && void create()}
      footer={
        <Button look="main" disabled={!isReady}>
          Create
        </Button>
      }
    >
      <Field label="Name" error={problem}>
        {(bound) => (
          <TextInput
            {...bound}
            maxLength={200}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        )}
      </Field>
      <Field label="Module" help="Artifacts of one subject share a module.">
        {(bound) => (
          <TextInput
            {...bound}
            maxLength={100}
            value={moduleKey}
            onChange={({ target }) => setModuleKey(target.value)}
          />
        )}
      </Field>
      <Field label="Type" help={wordsOf(type)?.about}>
        {(bound) => (
          <Select
            {...bound}
            value={type}
            onChange={({ target }) => setType(target.value as ArtifactType)}
          >
            {ARTIFACT_TYPES.map((one) => (
              <option key={one.type} value={one.type}>
                {one.label}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {type === "scheduled_job" && (
        <Field label="Schedule" help="As cron writes it: minute, hour, day, month, weekday.">
          {(bound) => (
            <TextInput
              {...bound}
              isMono
              value={cron}
              onChange={({ target }) => setCron(target.value)}
            />
          )}
        </Field>
      )}
    </Dialog>
  );
}
