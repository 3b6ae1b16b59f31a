import { type Schemas, useOp } from "../../data/api.ts";
import { useCommand } from "../../data/use-command.ts";
import { UsedIn } from "../../secrets/index.ts";
import { Entry, Section } from "../../ui/display/section.tsx";
import { ErrorNotice } from "../../ui/feedback.tsx";
import { Ago } from "../../ui/time.tsx";
import { count } from "../../ui/words.ts";
import type { Artifact } from "../artifact-type.ts";
import { CommandButton } from "../../ui/form/command-button.tsx";

/** References to an artifact, the module versions that scripts use, and newer modules. */
export function ArtifactUsage({ artifact }: { readonly artifact: Artifact }) {
  const { id, artifactType, versionNumber } = artifact;
  const { data, error, refetch } = useOp("artifacts.get_usage", { params: { id } });
  if (error) return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (!data) return null;
  const { usedIn, pinned, newerModules } = data.data;
  return (
    <>
      {newerModules.length > 0 && <NewerModules {...{ id, newerModules }} />}
      <Section title="Usage" about="Workflows and artifacts that use this artifact.">
        <UsedIn usedIn={usedIn} />
        {artifactType === "script_module" && pinned.length > 0 && (
          <ul>
            {pinned.map((pin) => (
              <Entry
                key={pin.versionNumber}
                title={`Version ${pin.versionNumber}`}
                about={`Used by ${count(pin.scripts, "script")}${
                  pin.versionNumber < versionNumber
                    ? ". Update their modules to use the latest version."
                    : ""
                }`}
              />
            ))}
          </ul>
        )}
      </Section>
    </>
  );
}

interface NewerModulesProps {
  readonly id: string;
  readonly newerModules: Schemas["ArtifactUsage"]["newerModules"];
}

/** Script modules that changed since the artifact was linked with them; they are updated only on request. */
function NewerModules({ id, newerModules }: NewerModulesProps) {
  const update = useCommand("artifacts.update", {
    said: "The artifact now uses the latest module versions.",
  });
  return (
    <Section
      title="Newer module versions"
      about="The artifact uses the module versions from when it was saved."
      act={
        <CommandButton
          command={update}
          onPress={() => void update.run({ params: { id }, body: { updateModules: true } })}
        >
          Update modules
        </CommandButton>
      }
    >
      <ul>
        {newerModules.map(({ name, from, to, savedBy, savedAt }) => (
          <Entry
            key={name}
            title={`${name}: version ${from} → ${to}`}
            about={
              <>
                Saved by {savedBy.name} <Ago at={savedAt} />
              </>
            }
          />
        ))}
      </ul>
    </Section>
  );
}
