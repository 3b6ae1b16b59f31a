import { useState } from "react";
import { type Schemas, useOp } from "../../data/api.ts";
import { useNames } from "../../data/names/names.ts";
import { useCommand } from "../../data/use-command.ts";
import { Diff } from "../../ui/display/diff.tsx";
import { Loading } from "../../ui/feedback.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { Ago } from "../../ui/time.tsx";
import { Button, PlainButton } from "../../ui/form/button.tsx";
import { CommandButton } from "../../ui/form/command-button.tsx";

const SHOWN = 50;

/** Compares and restores article versions. */
export function Versions(props: {
  readonly article: Schemas["Article"];
  readonly onClose: () => void;
}) {
  const { article, onClose } = props;
  const nameOf = useNames();
  const { data } = useOp("knowledge.list_versions", {
    params: { id: article.id },
    query: { limit: SHOWN },
  });
  const versions = data?.data ?? [];
  const [picked, setPicked] = useState<number>();
  const at = Math.max(
    0,
    versions.findIndex(({ version }) => version === picked),
  );
  const chosen = versions[at];
  const before = versions[at + 1];
  const isNewest = chosen?.version === article.version;
  const restore = useCommand("knowledge.restore_version", {
    refusal: isNewest && article.state !== "retired" ? "This is the current version." : undefined,
    said: `Version ${chosen?.version} of ${article.number} restored.`,
    onDone: onClose,
  });
  return (
    <Dialog
      title={`Versions of ${article.number}`}
      isWide
      onClose={onClose}
      footer={
        <>
          <Button type="button" onClick={onClose}>
            Close
          </Button>
          {chosen && (
            <CommandButton
              command={restore}
              isMain
              onPress={() =>
                void restore.run({ params: { id: article.id, version: String(chosen.version) } })
              }
            >
              Restore version {chosen.version}
            </CommandButton>
          )}
        </>
      }
    >
      {versions.length === 0 ? (
        <Loading rows={5} />
      ) : (
        <div className="kb-versions">
          <ul aria-label="Versions">
            {versions.map(({ version, createdBy, createdAt }) => (
              <li key={version}>
                <PlainButton
                  aria-current={version === chosen?.version ? "true" : undefined}
                  onClick={() => setPicked(version)}
                >
                  <b>Version {version}</b>
                  <span className="muted">
                    {nameOf(createdBy) ?? "Unknown user"}, <Ago at={createdAt} />
                  </span>
                </PlainButton>
              </li>
            ))}
          </ul>
          {chosen && (
            <Diff
              before={before ? toText(before) : ""}
              after={toText(chosen)}
              beforeLabel={before ? `Version ${before.version}` : "Empty"}
              afterLabel={`Version ${chosen.version}`}
              way="unified"
            />
          )}
        </div>
      )}
    </Dialog>
  );
}

const toText = ({ title, body }: { readonly title: string; readonly body: string }): string =>
  `${title}\n\n${body}`;
