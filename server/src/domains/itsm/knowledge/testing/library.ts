/** An article, and a question that it answers without sharing a word. */
export interface Shelved {
  readonly title: string;
  readonly body: string;
  readonly question?: string;
}

/** Eighty articles; half of them have a question. */
export const LIBRARY: readonly Shelved[] = [
  {
    title: "Laptop does not power on",
    body: "Hold the button for thirty seconds, remove the dock, then attach the original charger and try again.",
    question: "My notebook computer is dead and won't start",
  },
  {
    title: "Reset your password",
    body: "Open the self-service portal, choose Forgot password and confirm the code sent to your phone.",
    question: "I can't remember my login credentials any more",
  },
  {
    title: "Connect to the VPN from home",
    body: "Install the client, sign in with single sign-on and pick the gateway nearest to you.",
    question: "How do I reach the corporate network remotely?",
  },
  {
    title: "Printer shows a paper jam",
    body: "Open the rear door, pull the crumpled sheet out in the direction of the rollers and close all trays.",
    question: "A page got stuck while I was making hard copies",
  },
  {
    title: "Set up e-mail on a phone",
    body: "Add an Exchange account in the settings, enter your address and accept the security policy.",
    question: "Receive my inbox messages via a mobile device",
  },
  {
    title: "Wi-Fi is slow in meeting rooms",
    body: "Forget the guest network, join the 5 GHz one and move away from the microwave.",
    question: "The wireless connection lags during conferences",
  },
  {
    title: "Recover a deleted file",
    body: "Previous copies are kept for ninety days: right-click the folder and pick an earlier snapshot.",
    question: "I erased a document by mistake, can I get it back from backup?",
  },
  {
    title: "Report a phishing message",
    body: "Use the Report button in Outlook and never click links of unknown senders.",
    question: "I received a suspicious fraud email asking for bank details",
  },
  {
    title: "Request a second monitor",
    body: "Order the display in the catalog; your manager approves it and facilities deliver it to your desk.",
    question: "I would like an additional screen",
  },
  {
    title: "Blue screen after an update",
    body: "Boot into safe mode, roll the driver back and send the memory dump to the service desk.",
    question: "Windows crashes since yesterday's patch",
  },
  {
    title: "Join a Teams call without sound",
    body: "Select the right headset under device settings and check that the microphone is not muted.",
    question: "Nobody can hear me in the video conference, audio is broken",
  },
  {
    title: "Encrypt a USB stick",
    body: "Turn on BitLocker To Go and store the recovery key in the vault.",
    question: "How to protect data on a removable flash drive?",
  },
  {
    title: "Book annual leave",
    body: "Enter the days in the HR system; your lead is notified and the calendar is blocked.",
    question: "How can I take a vacation?",
  },
  {
    title: "Submit travel expenses",
    body: "Photograph each receipt, assign a cost centre and send the claim within thirty days.",
    question: "Get money back for a business trip",
  },
  {
    title: "New employee onboarding checklist",
    body: "Create the account, prepare hardware, grant badge access and schedule the welcome tour.",
    question: "What must be done when somebody joins our company as a recruit?",
  },
  {
    title: "Lost or stolen badge",
    body: "Call reception so that the card is blocked, then collect a replacement with your passport.",
    question: "I lack my identification pass, doors will not open for me",
  },
  {
    title: "Mailbox is full",
    body: "Archive old mail, empty the trash and delete large attachments.",
    question: "Outlook says my storage quota is exceeded",
  },
  {
    title: "Database backup failed",
    body: "Check free space on the target volume and the credentials of the agent, then run the job again.",
    question: "The nightly SQL dump did not complete",
  },
  {
    title: "Certificate expires soon",
    body: "Renew it with the internal authority, install the chain and reload the load balancer.",
    question: "Browsers warn that our site's TLS is about to be invalid",
  },
  {
    title: "Disk of a server runs out of space",
    body: "Rotate logs, purge temporary files and extend the logical volume.",
    question: "The host's storage is almost full",
  },
  {
    title: "Restart a stuck service",
    body: "Drain the node from the pool, stop the unit with systemctl and start it afresh.",
    question: "A daemon hangs and does not respond, how do I reboot it?",
  },
  {
    title: "Open a port in the firewall",
    body: "Give source, destination and reason in the change; network security reviews rules on Tuesdays.",
    question: "Traffic to my application is being blocked, allow it through",
  },
  {
    title: "Share a calendar with a colleague",
    body: "Open permissions of the calendar and choose whether they see details or only free and busy times.",
    question: "Let a coworker view my appointments and schedule",
  },
  {
    title: "Change your display name after marriage",
    body: "Send the certificate to HR; directory and address are adjusted overnight, aliases remain.",
    question: "I got wed and have a new surname, please fix my profile",
  },
  {
    title: "Keyboard types wrong characters",
    body: "Switch the input language with Windows key and space.",
    question: "Pressing letters gives other symbols than printed, layout mismatch",
  },
  {
    title: "Set up multi-factor authentication",
    body: "Scan the QR code with the authenticator app and note the recovery codes.",
    question: "Enable two-step verification for signing in",
  },
  {
    title: "Clean a computer of malware",
    body: "Disconnect the cable, start a full antivirus scan and wait for the security team.",
    question: "I think my PC has a virus infection",
  },
  {
    title: "Install software",
    body: "Find the program in the company portal; everything else needs approval and a licence.",
    question: "I want to put a new application on my machine",
  },
  {
    title: "Web page shows an old version",
    body: "Clear the cache of the browser with control, shift and delete.",
    question: "The site displays outdated content though it was updated",
  },
  {
    title: "Battery drains quickly",
    body: "Lower brightness, close background apps and have it replaced after 800 cycles.",
    question: "My device loses charge too fast",
  },
  {
    title: "Reserve a meeting room",
    body: "Add the room as a resource to the invitation and confirm at the panel by the door.",
    question: "Where can I book a place to gather with clients?",
  },
  {
    title: "Forward desk phone calls",
    body: "Dial star 21, the target number and hash; hash 21 hash ends it.",
    question: "Redirect incoming telephone rings to my cell while away",
  },
  {
    title: "Dispose of old hardware",
    body: "Wipe the drives, log the serial and put the device into the recycling cage.",
    question: "What do I do with an obsolete computer that nobody needs?",
  },
  {
    title: "Server is overheating",
    body: "Verify that fans spin, clean the dust filters and lower the set point of the air conditioning.",
    question: "The machine's temperature alarm went off in the data centre",
  },
  {
    title: "Grant access to a shared folder",
    body: "The owner of the directory adds you to the security group; log off and on afterwards.",
    question: "Permission denied when opening the team's network drive",
  },
  {
    title: "Queries are slow in the reporting database",
    body: "Look at the execution plan, add a missing index and refresh statistics.",
    question: "SQL performance is terrible, it takes forever",
  },
  {
    title: "Unsubscribe from newsletters and junk",
    body: "Mark them as junk; the filter learns within days and moves similar ones away.",
    question: "I get too much spam and unwanted advertising email",
  },
  {
    title: "Projector shows no picture",
    body: "Press source until HDMI appears, then duplicate the desktop with Windows key and P.",
    question: "The beamer stays black during my presentation",
  },
  {
    title: "Spreadsheet is locked for editing",
    body: "Somebody else has the workbook open; ask them to close it or use co-authoring.",
    question: "Excel says another user is modifying my table",
  },
  {
    title: "Leaver: revoke all accounts",
    body: "On the last day disable the directory entry, collect equipment and transfer files to the manager.",
    question: "An employee quits, how to remove their rights?",
  },
  {
    title: "Order business cards",
    body: "Choose the template, check the spelling and wait five days.",
  },
  {
    title: "Parking permit",
    body: "Register the licence plate; spaces are assigned monthly by lot.",
  },
  { title: "Cafeteria payment", body: "Top up your balance at the terminal next to the entrance." },
  { title: "Fire drill", body: "Leave by the nearest stairs and meet at the assembly point." },
  {
    title: "First aid",
    body: "Call the internal emergency line; defibrillators hang on every floor.",
  },
  {
    title: "Change the toner",
    body: "Open the front cover, swap the cartridge and recycle the empty one.",
  },
  { title: "Scan to e-mail", body: "Log in at the copier, choose Scan and type the recipient." },
  {
    title: "Ergonomic chair",
    body: "A doctor's note and a visit of the safety officer are required.",
  },
  { title: "Payslip", body: "Payslips appear in the personnel portal on the 25th of each month." },
  {
    title: "Sick leave",
    body: "Tell your lead before nine and upload the certificate on day three.",
  },
  {
    title: "Parental leave",
    body: "Apply seven weeks ahead; contracts are paused, insurance continues.",
  },
  {
    title: "Training budget",
    body: "Each person may spend 1,500 a year on courses and conferences.",
  },
  {
    title: "Company bike leasing",
    body: "The instalment is deducted from gross salary for 36 months.",
  },
  {
    title: "Kubernetes pod restarts in a loop",
    body: "Describe the pod, read its last log and raise the memory limit.",
  },
  {
    title: "Deploy to staging",
    body: "Merge to main; the pipeline builds an image and rolls it out.",
  },
  { title: "Git: undo the last commit", body: "Use git reset --soft HEAD~1 and commit again." },
  {
    title: "Rotate an API key",
    body: "Create the new key, switch consumers over and revoke the old key.",
  },
  {
    title: "DNS record for a new subdomain",
    body: "Add a CNAME in the zone file; propagation takes an hour.",
  },
  {
    title: "Load test a service",
    body: "Run wrk against staging and compare percentiles with the baseline.",
  },
  {
    title: "On-call handover",
    body: "Go through open alerts, note workarounds and update the rota.",
  },
  {
    title: "Write a post-mortem",
    body: "Timeline, causes, what went well, and actions with owners.",
  },
  { title: "Add a dashboard in Grafana", body: "Copy an existing one and change the data source." },
  {
    title: "Message queue backlog grows",
    body: "Scale consumers and look for poison messages in the dead letter queue.",
  },
  {
    title: "Clock drift on virtual machines",
    body: "Enable chrony and disable time sync of the hypervisor.",
  },
  {
    title: "Move a virtual machine",
    body: "Migrate it live within the cluster; across clusters it must be off.",
  },
  {
    title: "RAID array degraded",
    body: "Identify the failed drive by its blinking light and hot-swap it.",
  },
  {
    title: "Tape library maintenance",
    body: "Clean the heads monthly and replace cartridges after five years.",
  },
  {
    title: "SAP GUI font too small",
    body: "Raise the zoom in the theme preferences and restart SAP GUI.",
  },
  {
    title: "Citrix session frozen",
    body: "Ask the desk to log the session off from the director console.",
  },
  { title: "Webcam quality", body: "Face a window, wipe the lens and choose HD in the settings." },
  {
    title: "Noise-cancelling headphones",
    body: "Hold both buttons for pairing; choose stereo, not hands-free.",
  },
  {
    title: "Translate a document",
    body: "The translation tool keeps formatting of Word and PowerPoint.",
  },
  {
    title: "Digital signature on a PDF",
    body: "Load your smart card certificate and click the signature field.",
  },
  {
    title: "Smart card reader not detected",
    body: "Update its firmware and plug it directly into the docking station.",
  },
  {
    title: "Visitor registration",
    body: "Announce guests a day ahead; they receive a QR code for the gate.",
  },
  { title: "Brand guidelines", body: "Logo, colours and typefaces for slides and letters." },
  {
    title: "Export customer data under GDPR",
    body: "Legal checks the request; the export is due within a month.",
  },
  {
    title: "Archive a project",
    body: "Freeze the repository, export the wiki and close the cost centre.",
  },
  {
    title: "Translate room acoustics",
    body: "Panels reduce echo; the facility team measures reverberation.",
  },
  {
    title: "Plants in the office",
    body: "A contractor waters them weekly; tell reception of dry ones.",
  },
];
