import { useOp } from "../../data/api.ts";
import { UsedIn } from "../../secrets/index.ts";
import { Entry, Section } from "../../ui/display/section.tsx";
import { ErrorNotice } from "../../ui/feedback.tsx";
import { count } from "../../ui/words.ts";
import type { Artifact } from "../artifact-type.ts";

/** What names an artifact or imports it, and the versions of a module that scripts run with. */
export function ArtifactUsage({ artifact }: { readonly artifact: Artifact }) {
  const { id, artifactType, versionNumber } = artifact;
  const { data, error, refetch } = useOp("artifacts.get_usage", { params: { id } });
  if (error) return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (!data) return null;
  const { usedIn, pinned } = data.data;
  return (
    <Section title="Where it is used" about="Workflows and artifacts that name or import it.">
      <UsedIn usedIn={usedIn} />
      {artifactType === "script_module" && pinned.length > 0 && (
        <ul>
          {pinned.map((pin) => (
            <Entry
              key={pin.versionNumber}
              title={`Version ${pin.versionNumber}`}
              about={`${count(pin.scripts, "script")} ${pin.scripts === 1 ? "runs" : "run"} with it${
                pin.versionNumber < versionNumber ? ", until deployed or saved again" : ""
              }`}
            />
          ))}
        </ul>
      )}
    </Section>
  );
}
