export const articles = [
  {
    key: "reset-password",
    title: "You can't sign in",
    summary: "A forgotten password, a lost second factor, a locked account",
    tags: ["account", "sign-in"],
    category: "Accounts",
    body: `## Your password does not work

1. Ask for a new one with *Forgot password* on the sign-in page. The link in the mail is good for an hour.
2. If no mail comes within five minutes, look at the spam folder, then write to the service desk.

## Your phone with the codes is gone

Use one of the ten recovery codes that you were shown when you set it up. Each works once. Without them the
service desk removes the second factor when it has made sure that it is you; then set it up again at once.

## You tried too often

Wait for a minute. After ten wrong attempts the account pauses by itself.`,
  },
  {
    key: "raise-incident",
    title: "Report that something is broken",
    summary: "What to write so that it is mended soon",
    tags: ["service desk"],
    category: "Service desk",
    body: `Say in this order:

1. **What you wanted to do**, and what happened instead. The words of the message help most.
2. **Since when**, and whether it worked before.
3. **Who else has it**: you, your team, everyone.
4. **What waits for it**: that decides how soon somebody looks.

Attach logs as text. Never send a password.`,
  },
  {
    key: "slow-computer",
    title: "Your computer is slow",
    summary: "Four things to try before you call",
    tags: ["workplace", "performance"],
    category: "Workplace",
    body: `1. Restart it. Most of what is slow after two weeks is quick again.
2. Look which program uses the memory, and close what you do not need.
3. Is the disk nearly full? Below a tenth of free room everything gets slow.
4. On the road: is it the network? Open a page that you know to be quick.

If it stays slow, report an incident with the name of the computer and the program.`,
  },
  {
    key: "major-incident",
    title: "How a major incident is run",
    summary: "Who leads, who speaks, and when it is over",
    tags: ["major incident", "on call"],
    category: "Operations",
    body: `An incident is major when many can't work and nobody knows yet why.

| Who | Does |
|---|---|
| Lead | decides, asks for people, keeps the timeline |
| Speaker | broadcasts what is known, every 30 minutes, also when nothing is new |
| Everyone else | works on one thing, and says so |

Declare it, link what others report as its children, and broadcast. When it is resolved, open a problem while
everyone still remembers.`,
  },
  {
    key: "plan-change",
    title: "Plan a change so that it is approved",
    summary: "What the approvers look for",
    tags: ["change"],
    category: "Operations",
    body: `- **The items.** Name every configuration item that it touches: conflicts and risk follow from them.
- **The window.** With room for the way back.
- **The way back.** Somebody who was not there when it was planned must be able to follow it.
- **The test.** How you know that it worked, in a sentence.

What you do every week becomes a template, and needs no meeting.`,
  },
];
