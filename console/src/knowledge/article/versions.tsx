import { useState } from "react";
import { call, type Schemas, useOp } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import { useNames } from "../../data/names/names.ts";
import { Diff } from "../../ui/display/diff.tsx";
import { Loading } from "../../ui/feedback.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { Ago } from "../../ui/time.tsx";
import { notify } from "../../ui/toast.tsx";
import { Button, PlainButton } from "../../ui/form/button.tsx";

const SHOWN = 50;

/** What an article said at each time, what each version changed, and the way back to one. */
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
  const [isBusy, setBusy] = useState(false);
  const at = Math.max(
    0,
    versions.findIndex(({ version }) => version === picked),
  );
  const chosen = versions[at];
  const before = versions[at + 1];
  const restore = async (): Promise<void> => {
    if (!chosen) return;
    setBusy(true);
    try {
      const params = { id: article.id, version: String(chosen.version) };
      await call("knowledge.restore_version", { params });
      notify(`${article.number} says what version ${chosen.version} said`);
      onClose();
    } catch (error) {
      notify(describeRefusal(error));
      setBusy(false);
    }
  };
  const isNewest = chosen?.version === article.version;
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
          <Button
            look="main"
            type="button"
            disabled={isBusy || !chosen || (isNewest && article.state !== "retired")}
            title={isNewest ? "It says this already." : undefined}
            onClick={() => void restore()}
          >
            Restore version {chosen?.version}
          </Button>
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
                    {nameOf(createdBy) ?? "Somebody"}, <Ago at={createdAt} />
                  </span>
                </PlainButton>
              </li>
            ))}
          </ul>
          {chosen && (
            <Diff
              before={before ? toText(before) : ""}
              after={toText(chosen)}
              beforeLabel={before ? `Version ${before.version}` : "Nothing"}
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
