import { useForm } from "../../data/form/use-form.ts";
import { versionOf } from "../../data/form/version.ts";
import { CheckField } from "../../ui/form/choice-field.tsx";
import { InlineForm } from "../../ui/form/inline-form.tsx";
import { NumberField } from "../../ui/form/number-field.tsx";
import { ZoneField } from "../../ui/form/pickers/zone-field.tsx";
import { TextAreaField, TextField } from "../../ui/form/text-field.tsx";
import { Stack } from "../../ui/layout/layout.tsx";
import type { Artifact } from "../artifact-type.ts";
import { ArtifactUsage } from "./usage.tsx";

interface SettingsDraft {
  readonly description: string;
  readonly cron: string;
  readonly timezone: string;
  readonly timeoutMs: number | null;
  readonly openAddress: boolean;
}

const toDraft = ({ description, detail }: Artifact): SettingsDraft => ({
  description,
  cron: detail.cron ?? "",
  timezone: detail.timezone ?? "UTC",
  timeoutMs: detail.timeoutMs ?? null,
  openAddress: detail.openAddress ?? false,
});

/** Settings apart from the source: description, schedule, limits and address. */
export function ArtifactSettings({ artifact }: { readonly artifact: Artifact }) {
  const { id, artifactType } = artifact;
  const isJob = artifactType === "scheduled_job";
  const isHandler = artifactType === "webhook_handler";
  const params = { id };
  const form = useForm("artifacts.update", {
    params,
    initial: toDraft(artifact),
    version: versionOf("artifacts.get", { params }, ({ data }) => toDraft(data)),
    toBody: ({ description, cron, timezone, timeoutMs, openAddress }: SettingsDraft) => ({
      description,
      detail: {
        ...(timeoutMs && { timeoutMs }),
        ...(isJob && { cron, timezone }),
        ...(isHandler && { openAddress }),
      },
    }),
    said: "Saved.",
  });
  const { field } = form;
  return (
    <Stack gap={6} align="stretch" className="art-panel scroll">
      <InlineForm form={form} label="Settings" act="Save settings" isMain>
        <TextAreaField {...field("description")} rows={3} />
        {isJob && (
          <TextField
            {...field("cron")}
            label="Schedule"
            help="Cron expression: minute, hour, day, month, weekday. Example: 0 6 * * 1"
            isMono
            isRequired
          />
        )}
        {isJob && <ZoneField {...field("timezone")} label="Time zone" isRequired />}
        <NumberField
          {...field("timeoutMs")}
          label="Time limit (ms)"
          help="Default: the server limit"
        />
        {isHandler && (
          <CheckField
            {...field("openAddress")}
            label="Allow requests without the secret in the URL"
          />
        )}
      </InlineForm>
      <ArtifactUsage artifact={artifact} />
    </Stack>
  );
}
