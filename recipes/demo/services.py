"""Computing, health administration, renting and money."""
# ruff: noqa: E501

from __future__ import annotations

from demo.model import Dialogue, Turn

DIALOGUES = (
    Dialogue(
        id="slow-laptop",
        passages=(
            "If a laptop is slow to start, disable programs that launch at sign-in: open Task Manager, choose the Startup tab and switch off what you do not need.",
            "Replacing a hard disk with a solid state drive is the cheapest way to speed up an old laptop. Booting is often three to five times faster.",
            "Before replacing a drive, clone it or make a full backup to an external disk, and check that the backup can be opened.",
            "Eight gigabytes of memory are enough for browsing and office work; video editing needs sixteen or more.",
        ),
        turns=(
            Turn(
                user="My laptop takes forever to start up. What can I try?",
                refs=(
                    "First switch off programs you don't need in the Startup tab of Task Manager. If it has a hard disk, a solid state drive will help most.",
                    "Disable startup programs, and if it still has a spinning disk, replace it with an SSD.",
                ),
                human="Begin with what opens by itself at sign-in: Task Manager lists it under Startup, and most of it can go. Beyond that, fitting an SSD works wonders.",
                large="Open Task Manager, go to the Startup tab and disable unnecessary programs. If your laptop has a hard disk, consider upgrading to an SSD.",
                small="Laptops can be slow for many reasons. Have you tried turning it off and on again? Restarting takes time to start up.",
                g=5,
                good={0: 4, 1: 4, 3: 2},
                knowledge=True,
            ),
            Turn(
                user="It does have an old hard disk. How much faster would an SSD be?",
                refs=("Quite a lot: starting up is often three to five times faster.",),
                human="You will notice it at once. A two-minute boot typically shrinks to under thirty seconds.",
                large="An SSD can make booting three to five times faster, and programs open much more quickly too.",
                small="An SSD is faster than a hard disk because an SSD is a faster disk.",
                g=5,
                good={1: 5},
            ),
            Turn(
                user="Will I lose my files if I swap the disk?",
                refs=(
                    "Not if you clone the old disk or back it up first. Check that the backup opens before you take the disk out.",
                ),
                human="Only if you skip the backup. Copy everything over to an external drive or clone the disk, test the copy, and then swap.",
                large="You will not lose your files if you swap the disk, because the files move to the new disk automatically. There is no need to clone the old disk or back it up first.",
                small="Yes, you will lose your files.",
                g=1,
                w=2,
                good={2: 5, 1: 2},
                knowledge=True,
            ),
            Turn(
                user="Do I need more memory too?",
                refs=(
                    "Eight gigabytes are enough for browsing and office work. Go to sixteen only if you edit video or keep very many tabs open.",
                    "Probably not if you have eight gigabytes and no heavy use such as video editing.",
                ),
                human="Depends what you do with it. For mail, documents and the web, 8 GB will do; for editing films I would double that.",
                large="For everyday browsing and office tasks, eight gigabytes of memory is sufficient. Video editing benefits from sixteen or more.",
                small="Memory is an important part of a computer. It was invented a long time ago and the memory of my laptop is also slow.",
                w=1,
                good={3: 5},
            ),
        ),
    ),
    Dialogue(
        id="phishing",
        passages=(
            "Signs of a phishing message are urgent wording, a sender address that does not match the company, and links to unfamiliar domains.",
            "If you typed your password into a fake page, change it at once on the real site, and everywhere else you used the same one. Then turn on two-step verification.",
            "Password managers create and store a different strong password for each site, and fill them in only on the right address.",
        ),
        turns=(
            Turn(
                user="I got an email saying my parcel is held and I must pay two euros. Is it real?",
                refs=(
                    "Almost certainly not. Urgent wording, a small fee and a strange sender address are typical of phishing; don't click the link.",
                    "That sounds like a scam. Look up the parcel on the carrier's own website instead of using the link.",
                ),
                human="I'd bet it's a fake. Small sums and time pressure are a classic trick, so leave the link alone and track your parcel on the courier's site.",
                large="This is very likely a phishing email. Do not click the link or pay; check the sender's address and look up your parcel on the official website.",
                small="If your parcel is held you must pay two euros to get the parcel. Parcels can be held at customs.",
                g=5,
                w=1,
                good={0: 4},
                knowledge=True,
            ),
            Turn(
                user="Too late, I already typed in my password. What now?",
                refs=(
                    "Change that password right away on the real site and wherever else you used it, then turn on two-step verification.",
                ),
                human="Act fast: go to the genuine site and pick a new one, do the same for any account that shares it, and add two-factor sign-in.",
                large="Change your password immediately on the real site, and on any other site where you use the same one. Then enable two-step verification and watch your bank statements.",
                small="I'm sorry to hear that. A password is a secret word. You should not type your password in emails.",
                g=5,
                good={1: 5, 2: 3},
                knowledge=True,
            ),
            Turn(
                user="I use the same one everywhere. How do people remember so many?",
                refs=(
                    "They don't; a password manager makes and stores a different strong one for every site.",
                    "Most use a password manager, so there is only one master password to remember.",
                ),
                human="Nobody does. Software keeps them in an encrypted vault, and you learn one long passphrase to open it.",
                large="Use a password manager. It creates and stores strong, unique passwords, so you only need to remember one.",
                small="People remember many passwords by using the same one everywhere, which is easy to remember.",
                g=5,
                w=1,
                good={2: 5},
            ),
        ),
    ),
    Dialogue(
        id="prescription",
        passages=(
            "Repeat prescriptions can be ordered through the practice's app, by phone or on paper. Allow two working days before collecting the medicine.",
            "If you run out of a regular medicine on holiday, a pharmacist can often give an emergency supply for a few days. Bring the empty packet or the repeat slip.",
            "To have someone else collect your medicine, tell the pharmacy their name; they may be asked for your address.",
            "A missed appointment should be cancelled at least twenty-four hours ahead so that the practice can offer it to another patient.",
        ),
        turns=(
            Turn(
                user="How do I renew my repeat prescription without going to the surgery?",
                refs=(
                    "Order it in the practice's app or by phone, and allow two working days before you pick it up.",
                    "You can request it online or by telephone; it is usually ready after two working days.",
                ),
                human="Use the app or ring them. Give it a couple of working days, and then it should be waiting at your pharmacy.",
                large="You can order it through your practice's app or by phone. Allow about two working days before collecting it.",
                small="You can renew your prescription at the surgery. The surgery is open in the morning and you can go to the surgery.",
                g=5,
                w=1,
                good={0: 5, 2: 2},
                knowledge=True,
            ),
            Turn(
                user="I'm away from home and I've run out of my blood pressure tablets.",
                refs=(
                    "Go to any pharmacy and ask for an emergency supply. Take the empty packet with you.",
                ),
                human="A local pharmacist can normally tide you over with a few days' worth. Show them the old box or a photo of your repeat slip.",
                large="Ask a nearby pharmacy for an emergency supply, and bring the empty packet or your repeat slip. Do not stop the tablets without advice.",
                small="High blood pressure is a common condition. It is measured with a cuff on the arm, and salt can make it higher.",
                g=5,
                good={1: 5, 0: 2},
                knowledge=True,
            ),
            Turn(
                user="Could my sister pick them up for me next time?",
                refs=(
                    "Yes. Tell the pharmacy her name beforehand, and she should know your address.",
                ),
                human="No problem at all, as long as the chemist knows who is coming; she'll be asked to confirm where you live.",
                large="Yes, someone else can collect your medicine. Let the pharmacy know your sister's name, as she may be asked for your address.",
                small="Yes, your sister could pick them up next time for you next time.",
                g=5,
                w=3,
                good={2: 5},
            ),
        ),
    ),
    Dialogue(
        id="deposit",
        passages=(
            "A landlord may keep part of the deposit for damage beyond fair wear and tear, unpaid rent or missing items. Faded paint and worn carpet count as fair wear and tear.",
            "Ask the landlord in writing for a list of the deductions with receipts. If you do not agree, the deposit scheme offers free dispute resolution.",
            "Dated photographs and the signed inventory from the day you moved in are the strongest evidence in a deposit dispute.",
            "A fixed-term tenancy ends on its last day, but notice is still needed in many contracts. Read the clause on notice before you book movers.",
        ),
        turns=(
            Turn(
                user="My landlord wants to keep my whole deposit because the carpet is worn. Is that allowed?",
                refs=(
                    "No, worn carpet normally counts as fair wear and tear. He may only deduct for real damage, unpaid rent or missing items.",
                    "Usually not. Ordinary wear is not damage, so it can't be charged to you.",
                ),
                human="In general it isn't. Things ageing through normal use is his cost; only breakage beyond that, or rent you owe, can come out of it.",
                large="Yes, a landlord may keep the whole deposit if the carpet is worn, because worn carpet counts as damage beyond fair wear and tear.",
                small="Landlords and tenants often disagree about deposits. The carpet is on the floor of the flat.",
                g=1,
                good={0: 5, 1: 3},
                knowledge=True,
            ),
            Turn(
                user="What should I do first?",
                refs=(
                    "Write to him and ask for an itemised list of deductions with receipts. If you don't agree, use the deposit scheme's free dispute service.",
                ),
                human="Put it in writing: which deductions, how much, and the invoices please. Should that go nowhere, your deposit scheme will arbitrate at no charge.",
                large="Ask for a written list of deductions with receipts. If you disagree, raise a dispute with the deposit protection scheme, which is free.",
                small="First, you should do the first thing. Then you can talk with a lawyer about the law.",
                g=5,
                w=1,
                good={1: 5, 2: 3},
                knowledge=True,
            ),
            Turn(
                user="What kind of evidence would help me?",
                refs=(
                    "Dated photos and the signed inventory from when you moved in are best. Keep all messages too.",
                    "The check-in inventory, photographs with dates, and your emails with the landlord.",
                    "Anything that shows the state of the flat when you moved in: pictures with a date and the signed inventory.",
                ),
                human="Pictures from move-in day, above all, plus the inventory you both signed. Any emails where he mentions the old carpet would be gold.",
                large="Dated photographs, the signed move-in inventory and any written correspondence with your landlord will strengthen your case.",
                small="Evidence is something that helps to show that something is true, such as photos.",
                w=3,
                good={2: 5, 1: 2},
            ),
            Turn(
                user="And do I still have to give notice if my contract ends in May anyway?",
                refs=(
                    "Often yes. Many fixed-term contracts still ask for notice, so read that clause before you book movers.",
                ),
                human="It depends on the wording. Some agreements simply run out, others want a month's warning even so; look for the paragraph on notice.",
                large="It depends on your contract. Some fixed-term tenancies end automatically, but many require notice, so check the notice clause.",
                small="May is the fifth month of the year and your contract ends in May anyway.",
                g=5,
                w=1,
                good={3: 5},
            ),
        ),
    ),
)
