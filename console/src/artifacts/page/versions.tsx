import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useOp } from "../../data/api.ts";
import { useCommand } from "../../data/use-command.ts";
import { Diff } from "../../ui/display/diff.tsx";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Confirm } from "../../ui/overlay/confirm.tsx";
import { Ago } from "../../ui/time.tsx";
import type { Artifact } from "../artifact-type.ts";
import { PlainButton } from "../../ui/form/button.tsx";
import { CommandButton } from "../../ui/form/command-button.tsx";

/** All versions, and the differences between one and the newest. */
export function Versions({ artifact }: { readonly artifact: Artifact }) {
  const { id, versionNumber } = artifact;
  const { open } = useSearch({ from: "/inside/artifacts/$id" });
  const navigate = useNavigate();
  const [asked, setAsked] = useState<number>();
  const { data, error, isPending, refetch } = useOp("artifacts.list_versions", {
    params: { id },
    query: { limit: 100 },
  });
  const restore = useCommand("artifacts.restore", {
    said: ({ data: restored }) => `Restored as version ${restored.versionNumber}.`,
  });
  if (error) return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (isPending) return <Loading rows={4} />;
  const show = (number: string | undefined): void =>
    void navigate({
      to: "/artifacts/$id",
      params: { id },
      search: { tab: "versions", open: number },
      replace: true,
    });
  return (
    <div className="art-panel scroll">
      <ol className="art-runs">
        {data.data.map((version) => {
          const number = version.versionNumber;
          const isNewest = number === versionNumber;
          return (
            <li key={number}>
              <PlainButton
                className="art-run-row"
                aria-expanded={String(number) === open}
                onClick={() => show(String(number) === open ? undefined : String(number))}
              >
                <strong>Version {number}</strong>
                <span className="muted cut grow">
                  {isNewest && "latest · "}
                  {version.restoredFrom !== null && `restored from ${version.restoredFrom} · `}
                  {version.author.name}
                </span>
                <Ago at={version.createdAt} />
              </PlainButton>
              {String(number) === open && (
                <div className="art-execution">
                  {isNewest ? (
                    <p className="muted">This version is open in the editor.</p>
                  ) : (
                    <>
                      <VersionDiff artifact={artifact} number={number} />
                      <CommandButton command={restore} onPress={() => setAsked(number)}>
                        Restore version
                      </CommandButton>
                    </>
                  )}
                </div>
              )}
            </li>
          );
        })}
      </ol>
      {asked !== undefined && (
        <Confirm
          isGentle
          title={`Restore version ${asked}?`}
          act="Restore version"
          onAct={() => {
            setAsked(undefined);
            void restore.run({ params: { id, versionNumber: String(asked) } });
          }}
          onClose={() => setAsked(undefined)}
        >
          Creates a new version with this source code. It is used immediately. The current version
          is kept.
        </Confirm>
      )}
    </div>
  );
}

function VersionDiff(props: { readonly artifact: Artifact; readonly number: number }) {
  const { artifact, number } = props;
  const params = { id: artifact.id, versionNumber: String(number) };
  const { data, error, isPending } = useOp("artifacts.get_version", { params });
  if (error) return <ErrorNotice error={error} />;
  if (isPending) return <Loading rows={3} />;
  return (
    <Diff
      way="unified"
      before={data.data.detail.scriptSource}
      after={artifact.detail.scriptSource}
      beforeLabel={`Version ${number}`}
      afterLabel="Latest"
    />
  );
}
