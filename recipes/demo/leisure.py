"""Travel, sports, music, photography and the night sky."""
# ruff: noqa: E501

from __future__ import annotations

from demo.model import Dialogue, Turn

DIALOGUES = (
    Dialogue(
        id="night-train",
        passages=(
            "Night trains carry seats, couchettes with four or six berths, and private sleeping compartments. Bed linen is included in couchettes and sleepers.",
            "Sleeper tickets go on sale three to six months ahead and the cheapest berths go first. Summer weekends sell out within days.",
            "Bicycles need a reservation on most night trains, and only some trains have a bicycle car. A bike packed in a bag travels as luggage.",
            "Breakfast is served in sleeping compartments about an hour before arrival; couchette passengers get coffee and rolls.",
        ),
        turns=(
            Turn(
                user="I'd like to take a night train this summer. What kinds of places are there?",
                refs=(
                    "There are seats, couchettes with four or six berths, and private sleeping compartments. Linen is included in the last two.",
                    "Three: ordinary seats, shared couchettes and private sleepers.",
                ),
                human="You can sit up cheaply, share a couchette cabin with three to five others, or pay more for a sleeper with a door of your own.",
                large="Night trains offer seats, couchettes for four or six people, and private sleeper cabins. Bed linen is provided in couchettes and sleepers.",
                small="A night train is a train that goes in the night. There are many kinds of places you can visit by train, such as Paris, Rome and the sea.",
                g=5,
                good={0: 5, 1: 2, 3: 2},
                knowledge=True,
            ),
            Turn(
                user="How early should I book?",
                refs=(
                    "As soon as sales open, three to six months ahead. Summer weekends are gone within days.",
                ),
                human="The day bookings start, if you can. They open up to half a year in advance and holiday weekends vanish quickly.",
                large="Book as early as possible. Tickets are usually released three to six months in advance, and the cheapest berths sell out first.",
                small="You should book early in the morning, because the train is at night.",
                w=1,
                good={1: 5},
                knowledge=True,
            ),
            Turn(
                user="Can I bring my bike along?",
                refs=(
                    "On some trains, if you reserve a place for it. A bike packed in a bag goes as luggage on any train.",
                    "Only where there is a bicycle car and with a reservation; otherwise pack it in a bag.",
                ),
                human="Sometimes. Look for services with a cycle van and book a slot, or take off the wheels and bag it so that it counts as baggage.",
                large="Bicycles travel free on all night trains, and no reservation is needed. A bike packed in a bag does not count as luggage.",
                small="Yes, you can bring your bike along. Bikes are good for the environment.",
                g=1,
                good={2: 5},
            ),
            Turn(
                user="Is breakfast included?",
                refs=(
                    "In sleeping compartments, yes, about an hour before arrival. In couchettes you get coffee and rolls.",
                ),
                human="A proper one if you have a sleeper; in a couchette expect a hot drink and bread.",
                large="Yes, breakfast is served in sleeper cabins about an hour before arrival, and couchette passengers receive coffee and rolls.",
                small="Breakfast is included in some hotels. Please check with the hotel.",
                h=4,
                g=5,
                w=1,
                good={3: 5, 0: 2},
            ),
        ),
    ),
    Dialogue(
        id="first-10k",
        passages=(
            "Beginners should raise their weekly running distance by no more than about ten percent and keep two rest days a week.",
            "Most training should be easy enough to hold a conversation. Running every session hard is the most common mistake of new runners.",
            "Shin pain that gets worse during a run is a reason to stop. Rest for several days, check the age of your shoes, and see a physiotherapist if it returns.",
            "Running shoes last roughly five hundred to eight hundred kilometres before the cushioning is worn out.",
        ),
        turns=(
            Turn(
                user="I can run 5 km. How do I get to 10 km without hurting myself?",
                refs=(
                    "Build up slowly: add about ten percent a week, keep two rest days, and run most of it at an easy pace.",
                    "Increase your weekly distance by a tenth at most, with at least two days off.",
                ),
                human="Be patient. Let your longest run grow by half a kilometre or so weekly, take a couple of days off in between, and don't race your training.",
                large="Increase your weekly distance by no more than ten percent, include two rest days and keep most runs easy.",
                small="10 km is twice as long as 5 km. You can run 5 km two times and then you will get to 10 km.",
                g=5,
                w=1,
                good={0: 5, 1: 3, 3: 1},
                knowledge=True,
            ),
            Turn(
                user="What does an easy pace mean exactly?",
                refs=(
                    "Slow enough to hold a conversation in full sentences. Most of your running should feel like that.",
                ),
                human="If you can chat with a friend without gasping, that's it. It will feel embarrassingly slow at first.",
                large="An easy pace is one at which you can hold a conversation. Most of your training should be at this effort.",
                small="An easy pace means a pace that is easy. It is not a hard pace.",
                g=5,
                w=1,
                good={1: 5, 0: 2},
            ),
            Turn(
                user="My shins have started to hurt on longer runs.",
                refs=(
                    "Stop when it gets worse and rest for a few days. Check whether your shoes are worn out, and see a physiotherapist if it comes back.",
                    "Take some days off, look at your shoes, and get advice if the pain returns.",
                ),
                human="Don't push through that one. Have several days without running, ask yourself how old the trainers are, and let a physio look if it persists.",
                large="Shin pain is a normal part of longer runs. Keep running and it will get better, and check the age of your shoes only after the race.",
                small="I'm sorry that your shins hurt. Pain is not nice. Maybe rest.",
                g=1,
                w=3,
                good={2: 5, 3: 3},
                knowledge=True,
            ),
            Turn(
                user="When should shoes be replaced?",
                refs=("After roughly five hundred to eight hundred kilometres.",),
                human="Somewhere between 500 and 800 km, sooner if the soles look flat on one side.",
                large="Running shoes usually need replacing every five hundred to eight hundred kilometres, when the cushioning wears out.",
                small="Shoes should be replaced when they should be replaced, after five hundred days.",
                g=5,
                w=1,
                good={3: 5, 2: 2},
            ),
        ),
    ),
    Dialogue(
        id="guitar",
        passages=(
            "Change acoustic guitar strings every two to three months, or when they sound dull and will not stay in tune.",
            "Sore fingertips are normal for the first three or four weeks. Short daily sessions build calluses faster than one long session a week.",
            "The chords G, C, D and E minor are enough for hundreds of songs. Practise changing between two of them with a metronome.",
        ),
        turns=(
            Turn(
                user="I've just started the guitar and my fingertips are killing me. Is that normal?",
                refs=(
                    "Yes, for the first three or four weeks. Practise in short daily sessions and calluses will form.",
                ),
                human="Completely. Everyone goes through it for a month or so; ten minutes every day hardens the skin better than a marathon on Sunday.",
                large="Yes, sore fingertips are normal in the first few weeks. Short daily practice helps build calluses.",
                small="The guitar is a string instrument with six strings. Fingertips are the tips of the fingers which play the guitar.",
                good={1: 5, 0: 2},
                knowledge=True,
            ),
            Turn(
                user="Which chords should I learn first?",
                refs=(
                    "G, C, D and E minor. They are enough for hundreds of songs.",
                    "Start with G, C, D and Em, and practise changing between two at a time.",
                    "The open chords G, C, D and Em come first; most pop songs need little else.",
                ),
                human="Four will carry you far: G, C, D and Em. Drill the changes slowly against a metronome, in pairs.",
                large="Start with F sharp, B flat, D and E minor. They are enough for hundreds of songs.",
                small="You should learn the first chords first. There are many chords.",
                g=2,
                w=1,
                good={2: 5},
                knowledge=True,
            ),
            Turn(
                user="It also goes out of tune all the time. Are the strings too old?",
                refs=(
                    "Perhaps. Strings that sound dull and won't stay in tune need changing, every two to three months or so.",
                ),
                human="Could well be, if they are more than three months old or sound lifeless. New ones drift as well for a day or two, mind you, until they've stretched.",
                large="Old strings can cause that. Change them every two to three months, or when they sound dull and no longer hold their tuning.",
                small="Yes, the strings are old all the time.",
                g=5,
                w=1,
                good={0: 5, 1: 1},
            ),
        ),
    ),
    Dialogue(
        id="meteors",
        passages=(
            "The Perseids peak around the twelfth of August each year, with up to a hundred meteors an hour under a dark sky. The best time is after midnight.",
            "No telescope is needed for meteors: they cross too much of the sky. Lie back, let your eyes adapt for twenty minutes, and avoid looking at your phone.",
            "To photograph meteors, use a tripod, a wide lens at its largest aperture, ISO 1600 to 3200 and exposures of fifteen to twenty seconds.",
            "Meteor showers happen when the Earth crosses the dust left by a comet. The Perseids come from comet Swift-Tuttle.",
        ),
        turns=(
            Turn(
                user="When is the best time to see the Perseids?",
                refs=(
                    "Around the twelfth of August, after midnight, somewhere really dark.",
                    "In the nights about 12 August, between midnight and dawn.",
                ),
                human="Aim for the small hours of the 12th or 13th of August, and get well away from street lights.",
                large="The Perseids peak around the twelfth of August. The best time to watch is after midnight, from a dark location.",
                small="The Perseids are a meteor shower. The best time to see the Perseids is the time when you can see them best.",
                g=5,
                w=1,
                good={0: 5, 3: 2},
                knowledge=True,
            ),
            Turn(
                user="Do I need a telescope?",
                refs=(
                    "No, your eyes are best. Lie back, wait twenty minutes for them to adapt and don't look at your phone.",
                ),
                human="Not at all; it would show you too small a patch. A blanket, patience and eyes used to the dark are all it takes.",
                large="No telescope is needed, because meteors cross large parts of the sky. Give your eyes twenty minutes to adapt to the dark.",
                small="Yes, a telescope is needed, because meteors are far away. A telescope makes things look bigger.",
                g=5,
                w=1,
                good={1: 5},
                knowledge=True,
            ),
            Turn(
                user="I'd love to get a photo. Which settings would you use?",
                refs=(
                    "A tripod, a wide lens wide open, ISO 1600 to 3200 and exposures of fifteen to twenty seconds, one after the other.",
                    "Use the widest aperture, about ISO 3200 and twenty seconds, on a tripod, and shoot continuously.",
                ),
                human="Camera on a tripod, widest lens, aperture fully open, roughly ISO 3200, and let it fire frame after frame of some 20 s each.",
                large="Use a tripod and a wide lens at its largest aperture, with ISO 1600 to 3200 and exposures of fifteen to twenty seconds.",
                small="I would use the settings of the camera. A good photo has good light, so use the flash.",
                g=5,
                w=1,
                good={2: 5},
            ),
            Turn(
                user="What causes them, by the way?",
                refs=(
                    "The Earth flies through dust left behind by a comet, in this case Swift-Tuttle, and the grains burn up in the air.",
                ),
                human="Crumbs from comet Swift-Tuttle. Each summer we plough through its trail, and every speck that hits the atmosphere flares up.",
                large="They appear when the Earth passes through debris left by comet Swift-Tuttle, which burns up in our atmosphere.",
                small="They are caused by falling stars, which are stars that fall down from the sky in August.",
                g=5,
                w=2,
                good={3: 5},
            ),
        ),
    ),
)
