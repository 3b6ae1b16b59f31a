import { GitCompare } from "lucide-react";
import { useState } from "react";
import { type Schemas, useOp } from "../../data/api.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Ago } from "../../ui/time.tsx";
import { toWords } from "../../ui/words.ts";
import type { Definition } from "../graph/graph.ts";
import { CompareDialog } from "./compare-dialog.tsx";
import { PlainButton } from "../../ui/form/button.tsx";

interface VersionsPanelProps {
  readonly workflow: Schemas["Workflow"];
  readonly definition: Definition;
  readonly locked: string | undefined;
  readonly cannotDeploy: string | undefined;
  /** Replaces the draft with a version's definition, as one edit. */
  readonly onTake: (definition: Definition, label: string) => void;
}

const SHOWN = 100;

/** All versions with author and summary. Users can compare any two and restore an earlier one. */
export function VersionsPanel(props: VersionsPanelProps) {
  const { workflow } = props;
  const input = { params: { id: workflow.id }, query: { limit: SHOWN } };
  const { data, error, refetch } = useOp("workflows.list_versions", input);
  const [shown, setShown] = useState<string>();
  const versions = data?.data;
  if (error && !versions) return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (!versions) return <Loading />;
  if (versions.length === 0) return <Empty title="No versions yet" />;
  return (
    <>
      <ol className="version-list scroll" tabIndex={0} aria-label="Versions">
        {versions.map((version) => (
          <li key={version.id}>
            <PlainButton onClick={() => setShown(version.id)} aria-haspopup="dialog">
              <span className="version-head">
                <b>v{version.version}</b>
                {version.label !== null && <span className="cut">{version.label}</span>}
                {version.activeIn.map((name) => (
                  <span key={name} className="tag ok">
                    {toWords(name)}
                  </span>
                ))}
                <span className="grow" />
                <Ago at={version.createdAt} />
                <GitCompare className="ico" aria-label="Compare" />
              </span>
              <span className="version-what">
                <Avatar name={version.author.name} />
                <span className="cut">{version.changeSummary || version.author.name}</span>
              </span>
            </PlainButton>
          </li>
        ))}
      </ol>
      {shown !== undefined && (
        <CompareDialog
          {...props}
          versions={versions}
          first={shown}
          onClose={() => setShown(undefined)}
        />
      )}
    </>
  );
}
