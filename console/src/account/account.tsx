import "./account.css";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMe } from "../data/people.ts";
import { useTitle } from "../shell/title.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Loading } from "../ui/feedback.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { Consents } from "./consents.tsx";
import { Factors } from "./factors.tsx";
import { Password } from "./password.tsx";
import { Profile } from "./profile.tsx";
import { Sessions } from "./sessions.tsx";
import { Tokens } from "./tokens/tokens.tsx";
import type { AccountTab } from "./search.ts";

const TABS: readonly { readonly id: AccountTab; readonly label: string }[] = [
  { id: "profile", label: "Profile" },
  { id: "security", label: "Security" },
  { id: "tokens", label: "API tokens" },
];

/** The account page: profile, sign-in methods, sessions and tokens. */
export function Account() {
  useTitle("Your account");
  const { tab = "profile" } = useSearch({ from: "/inside/settings/account" });
  const navigate = useNavigate();
  const me = useMe();
  return (
    <div className="scroll folio">
      <div className="folio-body">
        <header className="folio-head">
          <Avatar name={me?.user.name ?? "?"} big />
          <div className="grow">
            <h1>{me?.user.name ?? "Your account"}</h1>
            <p className="muted cut">{me?.user.email}</p>
          </div>
        </header>
        <Tabs
          label="Your account"
          tabs={TABS}
          chosen={tab}
          onChoose={(next) =>
            void navigate({
              to: "/settings/account",
              search: { tab: next === "profile" ? undefined : next },
              replace: true,
            })
          }
        >
          {me === undefined ? (
            <Loading rows={6} />
          ) : (
            <div className="account-parts">
              {tab === "profile" && <Profile me={me} />}
              {tab === "security" && (
                <>
                  <Password />
                  <Factors />
                  <Sessions />
                </>
              )}
              {tab === "tokens" && (
                <>
                  <Tokens />
                  <Consents />
                </>
              )}
            </div>
          )}
        </Tabs>
      </div>
    </div>
  );
}
