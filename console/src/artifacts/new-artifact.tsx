import { useNavigate } from "@tanstack/react-router";
import { useForm } from "../data/form/use-form.ts";
import { SelectField } from "../ui/form/choice-field.tsx";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import { TextField } from "../ui/form/text-field.tsx";
import { ARTIFACT_TYPES, type ArtifactType, wordsOf } from "./artifact-type.ts";

interface NewArtifactProps {
  readonly type: ArtifactType | undefined;
  readonly onClose: () => void;
}

interface ArtifactDraft {
  readonly name: string;
  readonly moduleKey: string;
  readonly artifactType: ArtifactType;
  readonly cron: string;
}

/** Creates an artifact with type and name; its source is edited on its page. */
export function NewArtifact({ type, onClose }: NewArtifactProps) {
  const navigate = useNavigate();
  const form = useForm("artifacts.create", {
    initial: {
      name: "",
      moduleKey: "default",
      artifactType: type ?? "data_transformer",
      cron: "0 3 * * *",
    },
    fixed: { status: "draft" },
    toBody: ({ name, moduleKey, artifactType, cron }: ArtifactDraft) => ({
      name,
      moduleKey,
      artifactType,
      detail: {
        scriptSource: wordsOf(artifactType)?.source ?? "return {};\n",
        ...(artifactType === "scheduled_job" && {
          cron,
          timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        }),
      },
    }),
    onDone: ({ data }) => void navigate({ to: "/artifacts/$id", params: { id: data.id } }),
  });
  const { artifactType } = form.values;
  return (
    <FormDialog form={form} title="New artifact" act="Create artifact" onClose={onClose}>
      <TextField {...form.field("name")} />
      <TextField
        {...form.field("moduleKey")}
        label="Module"
        help="Group related artifacts in one module. Example: pricing"
        isRequired
      />
      <SelectField
        {...form.field("artifactType")}
        label="Type"
        help={wordsOf(artifactType)?.about}
        options={ARTIFACT_TYPES.map((one) => [one.type, one.label] as const)}
      />
      {artifactType === "scheduled_job" && (
        <TextField
          {...form.field("cron")}
          label="Schedule"
          help="Cron expression: minute, hour, day, month, weekday. Example: 0 6 * * 1"
          isMono
          isRequired
        />
      )}
    </FormDialog>
  );
}
