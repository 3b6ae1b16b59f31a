import { Link } from "@tanstack/react-router";
import { Bell, BookOpen, LogOut, Monitor, Moon, ScrollText, Sun, UserRound } from "lucide-react";
import { describeRoles, type Me } from "../../data/people.ts";
import { BASE_PATH } from "../../data/place.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { toWords } from "../../ui/words.ts";
import { signOut } from "../account.ts";
import { chooseTheme, THEMES, useTheme } from "../theme.ts";
import { Popover } from "./popover.tsx";
import { PlainButton } from "../../ui/form/button.tsx";

const ICONS = { system: Monitor, light: Sun, dark: Moon };

/** The menu of the current user: account, appearance and sign-out. */
export function AccountMenu({ me, above }: { readonly me: Me | undefined; readonly above?: true }) {
  const name = me?.user.name;
  return (
    <Popover
      label={name === undefined ? "Your account" : `Your account, ${name}`}
      className={above ? "nav-account" : "account-button"}
      align={above ? "start" : "end"}
      above={above === true}
      isNamedByContent
      trigger={
        <>
          <Avatar name={name ?? "?"} big />
          {above && (
            <span className="stack grow nav-label">
              <span className="cut">{name}</span>
              <span className="muted cut nav-role">{me && describeRoles(me)}</span>
            </span>
          )}
        </>
      }
    >
      {(close) => <Entries me={me} onClose={close} />}
    </Popover>
  );
}

function Entries({ me, onClose }: { readonly me: Me | undefined; readonly onClose: () => void }) {
  const theme = useTheme();
  return (
    <>
      <p className="menu-head">
        <strong className="cut">{me?.user.name}</strong>
        <span className="muted cut">{me?.user.email}</span>
      </p>
      <div className="menu-apart theme-choice" role="group" aria-label="Theme">
        {THEMES.map((one) => {
          const Icon = ICONS[one];
          return (
            <PlainButton key={one} aria-pressed={one === theme} onClick={() => chooseTheme(one)}>
              <Icon className="ico" /> {toWords(one)}
            </PlainButton>
          );
        })}
      </div>
      <ul className="menu-list menu-apart">
        <li>
          <Link to="/settings/account" className="menu-item" onClick={onClose}>
            <UserRound className="ico" /> Your account
          </Link>
        </li>
        <li>
          <Link to="/settings/notifications" className="menu-item" onClick={onClose}>
            <Bell className="ico" /> E-mail and notifications
          </Link>
        </li>
        <li>
          <a className="menu-item" href={`${BASE_PATH}/guide`} target="_blank" rel="noreferrer">
            <BookOpen className="ico" /> Guides
          </a>
        </li>
        <li>
          <a className="menu-item" href={`${BASE_PATH}/docs`} target="_blank" rel="noreferrer">
            <ScrollText className="ico" /> API reference
          </a>
        </li>
      </ul>
      <ul className="menu-list menu-apart">
        <li>
          <PlainButton className="menu-item" onClick={() => void signOut()}>
            <LogOut className="ico" /> Sign out
          </PlainButton>
        </li>
      </ul>
    </>
  );
}
