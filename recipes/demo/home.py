"""Cooking, gardening, repairs and pets."""
# ruff: noqa: E501

from __future__ import annotations

from demo.model import Dialogue, Turn

DIALOGUES = (
    Dialogue(
        id="sourdough",
        passages=(
            "A new sourdough starter needs five to seven days of daily feeding. Discard half, then add equal weights of flour and water. It is ready when it doubles within six hours of a feed.",
            "Keep an established starter in the fridge and feed it once a week. Take it out the night before baking and give it a feed at room temperature.",
            "Dense loaves usually come from underproofing or from a weak starter. Let the dough grow by about half and look for bubbles at the sides before shaping.",
            "Rye flour ferments faster than white flour because it carries more wild yeast and enzymes. Rye breads are denser and keep longer.",
        ),
        turns=(
            Turn(
                user="How long does it take to make a sourdough starter from scratch?",
                refs=(
                    "About a week. Feed it flour and water every day, and it is ready once it doubles in size within six hours of a feed.",
                    "Usually five to seven days of daily feeding, until it reliably doubles in a few hours.",
                    "Give it a week of daily feeds before you bake with it.",
                ),
                human="Plan on roughly seven days. Give it fresh flour and water daily; when it rises to twice its height in an afternoon, you can bake with it.",
                large="It takes around five to seven days of daily feeding with flour and water. The starter is ready when it doubles within about six hours.",
                small="A sourdough starter is a great way to make bread at home. You will need flour and water and a jar, and many people enjoy it.",
                g=5,
                good={0: 5, 3: 2},
                knowledge=True,
            ),
            Turn(
                user="Mine is two weeks old and I don't bake that often. Can I keep it in the fridge?",
                refs=(
                    "Yes. In the fridge it only needs a feed once a week; take it out the night before you bake and feed it.",
                ),
                human="Sure, the cold just slows it down. Refresh it weekly, and wake it up on the counter with a meal the evening before baking day.",
                large="Yes, you can keep it in the fridge. It only needs a feed once a month, and you can bake with it the moment you take it out.",
                small="Yes, you can keep it in the fridge.",
                g=2,
                w=3,
                good={1: 5},
                knowledge=True,
            ),
            Turn(
                user="My last loaf came out really dense. What went wrong?",
                refs=(
                    "Most likely the dough was underproofed or the starter was weak. Let the dough grow by half and show bubbles before you shape it.",
                    "A dense loaf usually means too short a rise. Give it more time, or feed the starter twice before you use it.",
                ),
                human="My guess is that it didn't ferment for long enough. Wait until the dough is about fifty percent bigger and bubbly, and be sure the starter is lively.",
                large="A dense loaf is usually a sign of underproofing or a sluggish starter. Try a longer bulk rise and use the starter at its peak.",
                small="Dense loaves are loaves which are dense. The loaf should be left in the oven longer so that the starter can rise.",
                w=1,
                good={2: 5, 3: 2},
            ),
            Turn(
                user="Would rye flour help?",
                refs=(
                    "It helps the starter, since rye ferments faster, but a loaf with much rye will be denser. Use a spoonful in the feed and white flour in the dough.",
                ),
                human="For the starter, yes: rye gets it going. In the dough it does the opposite and makes bread heavier, so stick to a little.",
                large="Rye flour ferments faster, so adding some to your starter makes it more active. Keep the share in the dough low, because rye makes a denser crumb.",
                small="Rye flour is a kind of flour made from rye. It is popular in Germany and Scandinavia, where winters are cold.",
                g=5,
                good={3: 4, 2: 2},
            ),
        ),
    ),
    Dialogue(
        id="tomatoes",
        passages=(
            "Yellowing lower leaves on tomatoes often point to overwatering or to a lack of nitrogen. Check the soil a finger deep before watering again.",
            "Early blight shows as brown spots with rings on the oldest leaves. Remove affected leaves, water at the base and do not compost them.",
            "Pinch out the side shoots of cordon tomatoes every week; bush varieties are left alone. Pinching sends the plant's strength into fruit.",
            "Green tomatoes ripen indoors in a paper bag with a ripe banana or apple, which gives off ethylene.",
        ),
        turns=(
            Turn(
                user="The bottom leaves of my tomato plants are turning yellow. Should I worry?",
                refs=(
                    "Not much. Yellow lower leaves usually mean too much water or too little nitrogen; feel the soil a finger deep before you water again.",
                    "It's common and often harmless. Check that you are not overwatering, and feed the plants if they are pale all over.",
                ),
                human="That's rarely serious. It tends to be soggy soil or hunger, so let the top few centimetres dry out and try a tomato feed.",
                large="Yellow lower leaves are often caused by overwatering or a nitrogen shortage. Let the soil dry a little and consider a balanced fertiliser.",
                small="Tomato plants have leaves. If the leaves are turning yellow, the plant may be turning yellow because of the sun or the water.",
                good={0: 5, 1: 3},
                knowledge=True,
            ),
            Turn(
                user="They also have brown spots with rings on them.",
                refs=(
                    "Then it is probably early blight. Take off the spotted leaves, water at the base only, and keep the leaves out of the compost.",
                ),
                human="Ah, rings like a target suggest early blight, a fungus. Remove those leaves, bin them, and keep the foliage dry when watering.",
                large="Brown spots with rings point to early blight. Remove the affected leaves and put them on the compost, then water over the leaves to wash off the spores.",
                small="Brown spots can be caused by many things. You may want to ask at a garden centre.",
                g=2,
                w=3,
                good={1: 5, 0: 2},
                knowledge=True,
            ),
            Turn(
                user="Do I need to pinch out the side shoots as well?",
                refs=(
                    "Only on cordon varieties, about once a week. Leave bush tomatoes alone.",
                    "If they are cordons, yes, weekly; bush types don't need it.",
                ),
                human="That depends on the type: tall, staked ones yes, every week or so; bushy ones no.",
                large="Pinch out side shoots weekly if you grow cordon tomatoes. Bush varieties should be left to branch freely.",
                small="Yes, you need to pinch out all the side shoots on every plant, every day, and then the plant will grow side shoots.",
                g=5,
                w=1,
                good={2: 5},
            ),
            Turn(
                user="And what can I do with the green ones at the end of the season?",
                refs=(
                    "Ripen them indoors in a paper bag with a ripe banana, or make chutney from them.",
                ),
                human="Bring them in and shut them in a bag together with an apple or banana; the gas from the fruit turns them red. The rest makes fine chutney.",
                large="You can ripen green tomatoes in a paper bag with a banana, or cook them in chutney or fried with cornmeal.",
                small="Green tomatoes are green at the end of the season. You can eat them in a salad with the leaves of the plant.",
                w=1,
                good={3: 5},
            ),
        ),
    ),
    Dialogue(
        id="dripping-tap",
        passages=(
            "A dripping tap usually needs a new washer or cartridge. Turn off the water at the isolating valve, open the tap to drain it, then unscrew the handle.",
            "Compression taps with two handles use rubber washers; single-lever mixers use a ceramic cartridge. Take the old part to the shop to match its size.",
            "Never force a stuck tap with a long wrench. Penetrating oil left for half an hour loosens most limescale.",
        ),
        turns=(
            Turn(
                user="My kitchen tap keeps dripping. Can I fix that myself?",
                refs=(
                    "Yes, it usually just needs a new washer or cartridge. Turn off the water first, drain the tap, then unscrew the handle.",
                ),
                human="You can. Shut the valve under the sink, let the tap run dry, take the handle off and swap the worn washer or cartridge inside.",
                large="Yes. Turn off the water supply, open the tap to drain it, remove the handle and replace the worn washer or cartridge.",
                small="A dripping tap wastes a lot of water. According to some studies a tap that drips can waste thousands of litres each year.",
                g=5,
                good={0: 5, 1: 3, 2: 2},
                knowledge=True,
            ),
            Turn(
                user="How do I know whether it's a washer or a cartridge?",
                refs=(
                    "Look at the handles: two separate handles mean rubber washers, a single lever means a ceramic cartridge.",
                    "A single-lever mixer has a cartridge, a tap with two handles mostly has washers.",
                ),
                human="Count the handles. One lever that moves every way hides a cartridge; separate hot and cold knobs that screw down have washers.",
                large="Look at the handles: a single lever means rubber washers, two separate handles mean a ceramic cartridge.",
                small="You can know whether it is a washer or a cartridge by looking inside the tap.",
                g=2,
                w=3,
                good={1: 5, 0: 2},
                knowledge=True,
            ),
            Turn(
                user="The handle is stuck. Should I use a bigger wrench?",
                refs=(
                    "No, you could crack the tap. Soak the joint in penetrating oil for half an hour and try again gently.",
                ),
                human="Please don't, brute strength snaps fittings. Spray some penetrating oil, have a cup of tea, then try again with a cloth round the handle.",
                large="Avoid force, as it can break the tap. Apply penetrating oil or warm vinegar to dissolve the limescale and wait thirty minutes.",
                small="Yes, a bigger wrench will give you more power. Make sure the wrench is big.",
                w=1,
                good={2: 5},
            ),
        ),
    ),
    Dialogue(
        id="kitten",
        passages=(
            "Kittens should eat kitten food four times a day until they are four months old, then three times until six months.",
            "Cow's milk upsets the stomach of most cats, because they lose the ability to digest lactose. Fresh water is all they need.",
            "A kitten's first vaccinations are given at eight to nine weeks and repeated three to four weeks later. It should stay indoors until a week or more after the second dose.",
            "Put the litter tray in a quiet corner, well away from the food bowl, and provide one tray per cat plus a spare.",
        ),
        turns=(
            Turn(
                user="We are getting a ten-week-old kitten. How often should we feed her?",
                refs=(
                    "Four small meals of kitten food a day until she is four months old, then three.",
                    "About four times a day at that age, with food made for kittens.",
                ),
                human="Little and often: four portions of proper kitten food daily, dropping to three once she is about four months.",
                large="At ten weeks, feed her four small meals of kitten food per day. From four months you can go down to three.",
                small="Congratulations on your kitten! Kittens are cute and playful and like to eat food. Feed her once when she is hungry.",
                g=5,
                good={0: 5, 1: 2},
                knowledge=True,
            ),
            Turn(
                user="Is a saucer of milk all right as a treat?",
                refs=(
                    "Better not. Most cats cannot digest the lactose in cow's milk; give her water.",
                ),
                human="I'd skip it, it usually ends in diarrhoea. Fresh water is plenty, or buy lactose-free cat milk if you want to spoil her.",
                large="It's best to avoid cow's milk, since many cats are lactose intolerant. Offer fresh water instead.",
                small="Yes, cats love milk. A saucer of milk is a fine treat for a kitten and helps her bones grow.",
                g=5,
                w=1,
                good={1: 5},
            ),
            Turn(
                user="When is it safe to let her outside?",
                refs=(
                    "Not before a week after her second vaccination, so at about fourteen weeks; many vets say to wait until she is neutered.",
                    "After both vaccinations have had time to work, at three and a half months or later.",
                ),
                human="Hold on until her second jab has had a week to take effect. I would wait for neutering and a microchip too, at around five months.",
                large="Wait until at least a week after the second round of vaccinations, and ideally until she is neutered and microchipped.",
                small="It is safe to let her outside when it is safe. Some cats live outside and some cats live inside.",
                w=1,
                good={2: 5, 3: 1},
                knowledge=True,
            ),
        ),
    ),
)
